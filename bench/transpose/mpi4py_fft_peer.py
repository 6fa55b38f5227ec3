# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py-fft as a peer: its transpose of complex slabs, and its 3D transform of complex numbers.

Usage: mpi4py_fft_peer.py N ROUNDS, on some ranks. Rank 0 prints `sample NAME seconds...`, the times
of the slowest rank, as contest.cpp does for the same slabs.
"""
import sys
import time

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray
from mpi4py_fft.pencil import Pencil, Subcomm


def transpose(n):
    """From slabs of z to slabs of y; rows of x stay as they are."""
    before = Pencil(Subcomm(MPI.COMM_WORLD, [0, 1, 1]), [n, n, n // 2 + 1], axis=1)
    after = before.pencil(0)
    transfer = before.transfer(after, numpy.complex128)
    sources = numpy.ones(before.subshape, dtype=numpy.complex128)
    destinations = numpy.empty(after.subshape, dtype=numpy.complex128)
    return lambda: transfer.forward(sources, destinations)


def transform(n, collapse):
    """The result stays cut along y. Collapsed: both axes of a slab in one transform."""
    plan = PFFT(MPI.COMM_WORLD, [n, n, n], axes=(0, 1, 2), dtype=numpy.complex128, grid=[-1, 1, 1],
                collapse=collapse)
    values, modes = newDistArray(plan, False), newDistArray(plan, True)
    values[:] = 1
    return lambda: plan.forward(values, modes, normalize=False)


def main():
    n, rounds = int(sys.argv[1]), int(sys.argv[2])
    peers = {"mpi4py_fft": transpose(n), "mpi4py_fft_3d": transform(n, False),
             "mpi4py_fft_3d_collapsed": transform(n, True)}
    times = {name: numpy.zeros(rounds) for name in peers}
    for call in peers.values():
        call()
    for turn in range(rounds):
        for name, call in peers.items():
            MPI.COMM_WORLD.Barrier()
            begin = time.perf_counter()
            call()
            times[name][turn] = time.perf_counter() - begin
    for name, seconds in times.items():
        MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, seconds, op=MPI.MAX)
        if MPI.COMM_WORLD.rank == 0:
            print("sample", name, *(f"{s:.9f}" for s in seconds), flush=True)


main()
