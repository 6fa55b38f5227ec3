# SPDX-License-Identifier: BSD-3-Clause
"""Calls of MPI in a function that two others call, from nested functions and from a file's code."""
import array
import threading

from mpi4py import MPI

world = MPI.COMM_WORLD
values = array.array("d", [1.0] * 4)
sums = array.array("d", [0.0] * 4)


def reduce_all():
    world.Allreduce([values, MPI.DOUBLE], [sums, MPI.DOUBLE])


class Solver:
    def step(self):
        reduce_all()

    def run(self, steps):
        def again():
            self.step()

        for _ in range(steps):
            again()


def schließen():  # a name that is not ASCII
    reduce_all()
    return [world.Barrier() for _ in range(2)]


Solver().run(3)
schließen()
if MPI.Query_thread() == MPI.THREAD_MULTIPLE:
    thread = threading.Thread(target=lambda: world.Ibarrier().Wait())
    thread.start()
    thread.join()
world.Barrier()
