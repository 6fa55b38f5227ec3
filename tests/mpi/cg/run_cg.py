# SPDX-License-Identifier: BSD-3-Clause
# Runs plait-cg and writes Matrix Market files, for the tests in this folder.
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jacobi"))
from run_jacobi import Jacobi as Program, expect  # noqa: E402,F401


def grid_matrix(side: int, general: bool = False) -> str:
    """The five-point Laplacian of a square grid as a Matrix Market file."""
    entries = []
    for i in range(side * side):
        entries.append((i, i, 4))
        for j in (i + 1 if (i + 1) % side else None, i + side if i + side < side * side else None):
            if j is not None:
                entries.append((j, i, -1))
                if general:
                    entries.append((i, j, -1))
    kind = "general" if general else "symmetric"
    lines = [f"%%MatrixMarket matrix coordinate integer {kind}", "% a grid",
             f"{side * side} {side * side} {len(entries)}"]
    lines += [f"{i + 1} {j + 1} {value}" for i, j, value in entries]
    return "\n".join(lines) + "\n"


def expect_equal_bits(cg: Program, ranks: int, runs: int, *options: str) -> str:
    """All runs pass and have the same bits. Returns the output."""
    done = cg.run(ranks, "--schedule", "all", "--threads", "2", *options)
    line = f"check: {runs} runs, 0 failed, 0 differ between schedules"
    expect(done.returncode == 0 and line in done.stdout,
           f"{ranks} ranks {options}: {line}\n{done.stdout}{done.stderr}")
    return done.stdout
