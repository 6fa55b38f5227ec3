#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Bad input ends the run with one error line from one rank and an exit code on all ranks. Runs on 1,
# 2 and 3 ranks.
from concurrent.futures import ThreadPoolExecutor

from run_cg import Program, expect, grid_matrix

HEAD = "%%MatrixMarket matrix coordinate real symmetric\n"
FILES = {
    "empty.mtx": "",
    "text.mtx": "hello\n",
    "array.mtx": "%%MatrixMarket matrix array real general\n1 1\n1\n",
    "complex.mtx": "%%MatrixMarket matrix coordinate complex symmetric\n1 1 1\n1 1 1 0\n",
    "wide.mtx": HEAD + "2 3 2\n1 1 1\n2 2 1\n",
    "short.mtx": HEAD + "2 2 3\n1 1 1\n2 2 1\n",
    "long.mtx": HEAD + "2 2 2\n1 1 1\n2 2 1\n2 1 0\n",
    "huge.mtx": HEAD + "2 2 2000000000\n1 1 1\n",
    "range.mtx": HEAD + "2 2 2\n1 1 1\n3 2 1\n",
    "nan.mtx": HEAD + "2 2 2\n1 1 1\n2 2 nan\n",
    "twice.mtx": HEAD + "2 2 3\n1 1 1\n2 2 1\n1 1 1\n",
    "upper.mtx": HEAD + "2 2 3\n1 1 1\n2 2 1\n1 2 1\n",
    "skew.mtx": HEAD.replace("symmetric", "general") + "2 2 4\n1 1 3\n2 2 3\n1 2 1\n2 1 2\n",
    "negative.mtx": HEAD + "2 2 2\n1 1 1\n2 2 -1\n",
    "indefinite.mtx": HEAD + "2 2 3\n1 1 1\n2 2 1\n2 1 -2\n",
    "good.mtx": grid_matrix(3),
    "few.txt": "1\n2\n",
    "large.txt": "1e300\n" * 9,
}
# ranks, options, text in the error line
CASES = [
    (2, ("empty.mtx",), "the file is empty"),
    (1, ("text.mtx",), "text.mtx:1: not a Matrix Market file"),
    (1, ("array.mtx",), "not a sparse matrix"),
    (1, ("complex.mtx",), "not a real matrix"),
    (1, ("wide.mtx",), "not square"),
    (2, ("short.mtx",), "the file ends after 2 of 3 entries"),
    (1, ("long.mtx",), "more than 2 entries"),
    (1, ("huge.mtx",), "too short for 2000000000 entries"),
    (1, ("range.mtx",), "range.mtx:4: a row is not from 1 to 2"),
    (1, ("nan.mtx",), "not a finite number"),
    (1, ("twice.mtx",), "row 1, column 1 is there twice"),
    (1, ("upper.mtx",), "above the diagonal"),
    (1, ("skew.mtx",), "not symmetric: row 1, column 2"),
    (1, ("negative.mtx",), "not positive definite: the diagonal of row 2"),
    (2, ("indefinite.mtx",), "not positive definite: p.Ap = -2 in iteration 1"),
    (2, ("absent.mtx",), "No such file"),
    (1, ("good.mtx", "--rhs", "few.txt"), "the file ends after 2 of 9 numbers"),
    (1, ("good.mtx", "--rhs", "large.txt"), "not finite"),
    (1, ("good.mtx", "--solution", "absent/x.txt"), "cannot be written"),
    (1, ("good.mtx", "--class", "S"), "excludes"),
    (1, ("good.mtx", "--tolerance", "2"), "--tolerance 2"),
    (3, ("--class", "S"), "3 ranks: not a power of two"),
    (1, ("--class", "Z"), "use S, W, A, B or C"),
    (1, ("--class", "S", "--schedule", "automatic"), "not for --class"),
    (1, ("--class", "S", "--threads", "0"), "--threads 0"),
    (1, ("--class", "S", "--kernel", "dense"), "use automatic, crs, split or sell"),
    (1, (), "neither a class nor a matrix"),
]


def main() -> None:
    cg = Program()
    for name, text in FILES.items():
        (cg.folder / name).write_text(text)

    def check(case: tuple) -> None:
        ranks, options, text = case
        done = cg.run(ranks, *options)
        lines = [line for line in done.stderr.splitlines() if "plait-cg: error:" in line]
        print(options, done.returncode, *lines)
        expect(done.returncode not in (0, None) and len(lines) == 1 and text in lines[0],
               f"{ranks} ranks {options}, '{text}': {done.returncode}\n{done.stdout}{done.stderr}")
        expect("checksum" not in done.stdout, f"{options}: no solution is printed")

    # Launchers mostly wait: for ranks to start, and for an error to reach them.
    with ThreadPoolExecutor(max_workers=8) as several:
        list(several.map(check, CASES))
    done = cg.run(1, "good.mtx", "--iterations", "1")
    expect(done.returncode == 1 and "NOT CONVERGED" in done.stdout, "too few iterations")


if __name__ == "__main__":
    main()
