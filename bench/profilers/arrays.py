# SPDX-License-Identifier: BSD-3-Clause
"""Fixed work in NumPy and in Python itself; prints the seconds that it took: arrays.py [UNITS]."""
import sys
import time

import numpy
from mpi4py import MPI

N = 240


def multiply(a, b):
    return a @ b


def transform(a):
    return numpy.fft.ifft2(numpy.fft.fft2(a)).real


def order(values):
    return numpy.sort(values)


def accumulate(values):
    total = 0.0
    for value in values:
        if value > 0.5:
            total += value * value
        else:
            total -= value
    return total


def step(a, values, numbers):
    product = multiply(a, a)
    smooth = transform(product)
    ordered = order(values)
    return smooth[0, 0] + ordered[0] + accumulate(numbers)


def main():
    units = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    begin, cpu = time.perf_counter(), time.process_time()
    result = sum(step(a, values, numbers) for _ in range(units))
    taken, cpu = time.perf_counter() - begin, time.process_time() - cpu
    print(f"seconds {taken:.6f} cpu {cpu:.6f} result {result:.6g}", flush=True)


# Not in a function of this file, of which the shares are compared: it imports and waits.
generator = numpy.random.default_rng(MPI.COMM_WORLD.rank)
a = generator.random((N, N)) / N
values = generator.random(120_000)
numbers = values[:60_000].tolist()
main()
MPI.COMM_WORLD.Barrier()
