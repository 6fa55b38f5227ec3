#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Thirty shapes pass HPL's residual test under every schedule with the same bits: P above Q, prime
# numbers of ranks, N that are no multiples of NB, N below NB. Runs on 6 ranks, under MPICH on 2.
from run_lu import Program, expect, expect_equal_bits, hpl_dat


def main() -> None:
    lu = Program()
    if "mpich" in lu.folder.name:
        expect_equal_bits(lu, 2, hpl_dat([(2, 1), (1, 2)], [53], [8]), 2)
        return
    # One row remains below a panel, or none beside it; products of one row.
    for extra in (["--size", "49"], ["--size", "20", "--grain", "1"]):
        done = lu.run(1, *extra, "--block", "8", "--schedule", "all")
        expect(done.returncode == 0 and "passed" in done.stdout, done.stdout + done.stderr)
    grids = [(1, 1), (2, 1), (3, 2), (1, 5), (5, 1)]
    expect_equal_bits(lu, 6, hpl_dat(grids, [1, 53, 96], [8, 17]), 30)


if __name__ == "__main__":
    main()
