# SPDX-License-Identifier: BSD-3-Clause
"""Computes 10, 30 and 60 % of its time in three functions; from sort() C calls Python again."""
from mpi4py import MPI

UNIT = 30000


def work(amount):
    value = 1.0
    for _ in range(amount):
        value = value * 1.0000001 + 1e-9
        if value > 2:
            value -= 1
    return value


def ten():
    return work(UNIT)


def thirty():
    return work(3 * UNIT)


class Key:
    def __init__(self, number):
        self.number = number

    def __call__(self, _):
        return sixty()


def sixty():
    return work(6 * UNIT)


def main():
    for _ in range(50):
        ten()
        thirty()
        sorted([0], key=Key(1))
    MPI.COMM_WORLD.Barrier()


main()
