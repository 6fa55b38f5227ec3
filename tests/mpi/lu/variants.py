#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# All broadcasts, look-ahead depths, swaps, orders of ranks, and factorization without pivoting give
# the same bits under every schedule and pass HPL's residual test. Runs on 5 and 6 ranks.
from run_lu import Program, expect_equal_bits, hpl_dat


def main() -> None:
    lu = Program()
    expect_equal_bits(lu, 5, hpl_dat([(1, 5)], [61], [8], broadcasts=range(6), depths=(0, 1)), 12)
    for swap in (0, 1):
        expect_equal_bits(lu, 6, hpl_dat([(5, 1), (3, 2)], [61], [8], swap=swap, order=1), 2)
    expect_equal_bits(lu, 6, hpl_dat([(3, 2), (2, 3)], [61], [8]), 2,
                      "--pivoting", "none", "--matrix", "dominant")


if __name__ == "__main__":
    main()
