# SPDX-License-Identifier: BSD-3-Clause
"""Computes in a library's assembly, without the interpreter's lock: assembly.py LIBRARY."""
import ctypes
import sys

from mpi4py import MPI

library = ctypes.CDLL(sys.argv[1])
library.assembly_burn.argtypes = [ctypes.c_ulong]


def burn():
    library.assembly_burn(600_000_000)


def main():
    burn()
    MPI.COMM_WORLD.Barrier()


main()
