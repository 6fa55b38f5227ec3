#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Systems from Matrix Market files: the same bits under every schedule for each partition and
# storage, and the right solution. Runs on 1 and 3 ranks, under MPICH on 2.
from run_cg import Program, expect, expect_bandwidth, expect_equal_bits, grid_matrix

SIDE = 25


def expect_solution(cg: Program, rhs: list) -> None:
    """x solves the system of the grid."""
    x = [float(line) for line in (cg.folder / "x.txt").read_text().split()]
    expect(len(x) == SIDE * SIDE, "one number per row")
    for i, value in enumerate(x):
        total = 4 * value
        for j, there in ((i - 1, i % SIDE), (i + 1, (i + 1) % SIDE), (i - SIDE, i >= SIDE),
                         (i + SIDE, i + SIDE < SIDE * SIDE)):
            if there:
                total -= x[j]
        expect(abs(total - rhs[i]) < 1e-7, f"row {i}: {total}, not {rhs[i]}")


def main() -> None:
    cg = Program()
    (cg.folder / "grid.mtx").write_text(grid_matrix(SIDE))
    (cg.folder / "general.mtx").write_text(grid_matrix(SIDE, general=True))
    rhs = [1 + i % 3 for i in range(SIDE * SIDE)]
    (cg.folder / "b.txt").write_text("".join(f"{value}\n" for value in rhs))
    common = ("--rhs", "b.txt", "--grain", "40", "--json", "result.json", "--solution", "x.txt")
    if "mpich" in cg.folder.name:
        expect_equal_bits(cg, 2, 5, "grid.mtx", *common)
        expect_solution(cg, rhs)
        return
    for ranks, options in ((3, ("--partition", "graph")),
                           (3, ("--partition", "rows", "--preconditioner", "none")),
                           (1, ("--kernel", "crs", "--bandwidth"))):
        text = expect_equal_bits(cg, ranks, 5, "grid.mtx", *common, *options)
        expect_solution(cg, rhs)
    expect_bandwidth(cg, text)
    symmetric = expect_equal_bits(cg, 3, 5, "grid.mtx")
    general = expect_equal_bits(cg, 3, 5, "general.mtx")
    expect(symmetric.count("checksum") == 5 and
           symmetric.splitlines()[-2] == general.splitlines()[-2],
           "the same matrix in two formats has the same solution")


if __name__ == "__main__":
    main()
