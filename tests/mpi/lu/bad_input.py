#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Bad input ends the run soon with one error line from one rank and an exit code on all ranks; a
# singular matrix does so when it is found. Runs on 1 and 2 ranks.
import struct
from run_lu import Program, hpl_dat

# ranks, options, text in the error line
CASES = [
    (2, ("--size", "3", "--matrix", "singular"), "column 2 has no pivot"),
    (1, ("--size", "3", "--matrix", "singular", "--schedule", "tc", "--block", "1"), "singular"),
    (2, ("--size", "3", "--matrix", "nan"), "row 2 of column 3 is not a finite number"),
    (1, ("--size", "3", "--matrix", "zero", "--pivoting", "none"), "pivot of column 1 is zero"),
    (1, ("--size", "4", "--matrix", "nan"), "not the 160 of a system with N = 4"),
    (1, ("--size", "3", "--matrix", "absent"), "No such file"),
    (2, ("--grid", "2x2"), "needs 4 ranks, and there are 2"),
    (2, ("--grid", "2"), "--grid 2"),
    (2, ("--grid", "0x2"), "--grid 0"),
    (2, ("--size", "2000000"), "on a node that has"),
    (1, ("--size", "0"), "--size 0"),
    (1, ("--size", "nan"), "--size nan"),
    (1, ("--block", "-1"), "--block -1"),
    (1, ("--threads", "0"), "--threads 0"),
    (1, ("--schedule", "cuda"), "use mpi, pc or tc"),
    (1, ("--broadcast", "pigeon"), "use ring,"),
    (1, ("--json", "absent/result.json"), "cannot be written"),
    (1, ("--hpl", "absent.dat"), "No such file"),
    (1, ("--hpl", "depth.dat"), "depth.dat:25: expected look-ahead depths from 0 to 1"),
    (1, ("--hpl", "short.dat"), "the file ends before"),
    (1, ("--hpl", "grid.dat"), "needs 6 ranks, and there are 1"),
    (1, ("--no-such-option",), "no-such-option"),
]


def write_files(lu: Program) -> None:
    def system(name: str, *columns: float) -> None:
        (lu.folder / name).write_bytes(struct.pack("12d", *columns, 1, 1, 1))

    system("singular", 1, 2, 4, 2, 4, 8, 1, 0, 1)
    system("nan", 1, 0, 0, 0, 1, 0, 0, float("nan"), 1)
    system("zero", 0, 1, 0, 1, 0, 0, 0, 0, 1)
    good = hpl_dat([(2, 3)], [50], [8])
    (lu.folder / "grid.dat").write_text(good)
    (lu.folder / "short.dat").write_text(good[:200])
    (lu.folder / "depth.dat").write_text(hpl_dat([(1, 1)], [50], [8], depths=(2,)))


def main() -> None:
    lu = Program()
    write_files(lu)
    lu.expect_refusals("lu", CASES)


if __name__ == "__main__":
    main()
