#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Bad input ends the run soon with one error line from one rank and an exit code on all ranks.
from run_jacobi import Jacobi

# ranks, options, text in the error line
CASES = [
    (2, ("--size", "1"), "cannot be cut into 2 boxes"),
    (1, ("--temporal", "2147483647"), "at most"),
    (4, ("--size", "6x6x8", "--ranks", "1x1x4", "--temporal", "3"), "thinner than the halo"),
    (2, ("--schedule", "bulk"), "bulk"),
    (2, ("--schedule", "comm_thread,communicator=extra_thread", "--thread-level", "single",
         "--size", "8"), "MPI_THREAD"),
    (3, ("--ranks", "2x1x1", "--size", "8"), "the product is 2"),
    (2, ("--ranks", "3x0x0", "--per-rank", "8"), "not possible with the 2 ranks"),
    (4, ("--ranks", "2x1x1", "--per-rank", "8"), "not possible with the 4 ranks"),
    (2, ("--size", "50000"), "no memory for"),
    (2, ("--until", "nan"), "--until nan"),
    (2, ("--until", "-1"), "--until -1"),
    (2, ("--steps", "0"), "--steps 0"),
    (2, ("--threads", "none"), "--threads none"),
    (2, ("--size", "8x8"), "--size 8x8"),
    (2, ("--boundary", "periodic:static,static,static"), "periodic at both ends"),
    (2, ("--boundary", "sticky"), "sticky"),
    (2, ("--problem", "navier"), "unknown problem"),
    (2, ("--transport", "pigeon"), "pigeon"),
    (2, ("--map", "world"), "--map world"),
    (2, ("--checkpoint", "absent/folder", "--size", "8"), "cannot be written"),
    (2, ("--json", "absent/result.json", "--size", "8"), "cannot be written"),
    (2, ("--checkpoint-every", "5"), "no file given"),
    (2, ("--no-such-option",), "no-such-option"),
    (2, ("--size", "8", "--boundary", "static=1e308", "--source", "1e308", "--until", "1e-3"),
     "not finite"),
]


def main() -> None:
    jacobi = Jacobi()
    jacobi.expect_refusals("jacobi", CASES, at_once=4)


if __name__ == "__main__":
    main()
