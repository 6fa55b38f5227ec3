# SPDX-License-Identifier: BSD-3-Clause
"""A 6-point Jacobi in Devito that runs on request: reads numbers of sweeps, prints seconds.

Usage: devito_peer.py N. Prints `ready`; then, for each number of sweeps that it reads, their
seconds.
"""
import os
import sys
import time

os.environ.setdefault("DEVITO_LOGGING", "ERROR")
os.environ.setdefault("DEVITO_ARCH", "gcc")
os.environ.setdefault("DEVITO_LANGUAGE", "openmp")

import numpy  # noqa: E402
from devito import Eq, Grid, Operator, TimeFunction  # noqa: E402


def main():
    n = int(sys.argv[1])
    grid = Grid(shape=(n, n, n), dtype=numpy.float64)
    x, y, z = grid.dimensions
    u = TimeFunction(name="u", grid=grid, space_order=2, time_order=1)
    t = u.time_dim
    near = ((u.subs(x, x - x.spacing) + u.subs(x, x + x.spacing)) +
            (u.subs(y, y - y.spacing) + u.subs(y, y + y.spacing)) +
            (u.subs(z, z - z.spacing) + u.subs(z, z + z.spacing)))
    sweep = Operator([Eq(u.forward, near * (1.0 / 6.0))])
    u.data[:] = 1.0
    sweep.apply(**{t.max_name: 0})  # compiles
    print("ready", flush=True)
    for line in sys.stdin:
        sweeps = int(line)
        begin = time.perf_counter()
        sweep.apply(**{t.max_name: sweeps - 1})
        print(time.perf_counter() - begin, flush=True)


main()
