#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Bad input, and memory that does not suffice, end the run soon with one error line from one rank
# and an exit code on all ranks. Runs on 1, 2 and 3 ranks. All errors of files: tests/unit/solvers.
from run_cg import Program, expect, grid_matrix

HEAD = "%%MatrixMarket matrix coordinate real symmetric\n"
FILES = {
    "nan.mtx": HEAD + "4 4 4\n1 1 1\n2 2 1\n3 3 1\n4 4 nan\n",
    "skew.mtx": HEAD.replace("symmetric", "general") + "2 2 4\n1 1 3\n2 2 3\n1 2 1\n2 1 2\n",
    "indefinite.mtx": HEAD + "2 2 3\n1 1 1\n2 2 1\n2 1 -2\n",
    "vast.mtx": HEAD + "1000000000 1000000000 100000000000\n",
    "good.mtx": grid_matrix(3),
    "large.txt": "1e300\n" * 9,
}
LIMIT = ("sh", "-c", 'ulimit -v 900000; exec "$0" "$@"')
# ranks, options, text in the error line, command that runs each rank
CASES = [
    (3, ("nan.mtx",), "nan.mtx:6: the value is not a finite number"),
    (2, ("skew.mtx",), "not symmetric: row 1, column 2"),
    (2, ("indefinite.mtx",), "not positive definite: p.Ap = -2 in iteration 1"),
    (2, ("absent.mtx",), "No such file"),
    (2, ("vast.mtx",), "on a node that has"),
    (1, ("--class", "C"), "and the limit of a process allows", LIMIT),
    (1, ("good.mtx", "--rhs", "large.txt"), "not finite"),
    (1, ("good.mtx", "--solution", "absent/x.txt"), "cannot be written"),
    (1, ("good.mtx", "--class", "S"), "excludes"),
    (1, ("good.mtx", "--tolerance", "2"), "--tolerance 2"),
    (3, ("--class", "S"), "3 ranks: not a power of two"),
    (1, ("--class", "Z"), "use S, W, A, B or C"),
    (1, ("--class", "S", "--schedule", "automatic"), "not for --class"),
    (1, ("good.mtx", "--schedule", "spmd"), "--schedule spmd: only with --class"),
    (1, (), "neither a class nor a matrix"),
]


def main() -> None:
    cg = Program()
    for name, text in FILES.items():
        (cg.folder / name).write_text(text)
    # As long as so many entries need, but without blocks on the disk.
    with open(cg.folder / "vast.mtx", "a", encoding="ascii") as file:
        file.truncate(500_000_000_000)
    cg.expect_refusals("cg", CASES)
    done = cg.run(1, "good.mtx", "--iterations", "1")
    expect(done.returncode == 1 and "NOT CONVERGED" in done.stdout, "too few iterations")


if __name__ == "__main__":
    main()
