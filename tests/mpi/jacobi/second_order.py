#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Solutions converge to the known ones at second order, for both equations and all boundaries.
import math

from run_jacobi import Jacobi, expect

# Pairs of grids with spacings of three to one: a static end is a whole cell beyond the centre of
# the last cell, any other end half a cell. With these sizes the crests of all waves are at cells.
CASES = [
    ("harmonic", "static", "9x9x9", "29x29x29"),
    ("poisson", "static", "9x9x9", "29x29x29"),
    ("poisson", "neumann", "10x10x10", "30x30x30"),
    ("poisson", "periodic", "10x10x10", "30x30x30"),
    ("poisson", "periodic,neumann,static", "10x10x9", "30x30x29"),
    ("laplace", "periodic,neumann,static", "10x10x9", "30x30x29"),
    ("laplace", "static,static,neumann", "9x9x10", "29x29x30"),
]


def main() -> None:
    jacobi = Jacobi()
    for problem, boundary, *sizes in CASES:
        distances = []
        for size in sizes:
            # One rank is enough: the bits do not depend on the number of ranks.
            result = jacobi.solve(1, "--problem", problem, "--boundary", boundary, "--size", size,
                                  "--until", "1e-12", "--check-every", "50",
                                  "--schedule", "blocking")
            expect(result["iteration"]["converged"], f"{problem} {boundary} {size} converges")
            distances.append(result["problem"]["distance_from_solution"])
        order = math.log(distances[0] / distances[1], 3)
        print(f"{problem:9} {boundary:24} {sizes[0]:9} {distances[0]:.3e}  {sizes[1]:9} "
              f"{distances[1]:.3e}  order {order:.3f}")
        expect(1.9 < order < 2.1, f"{problem}, {boundary}: order {order:.3f} is 2")
    # A polynomial of second degree: the stencil has no truncation error.
    exact = jacobi.solve(2, "--size", "12", "--until", "1e-14")
    expect(exact["problem"]["distance_from_solution"] < 1e-11, "the polynomial is solved exactly")


if __name__ == "__main__":
    main()
