# SPDX-License-Identifier: BSD-3-Clause
# Runs plait-cg and writes Matrix Market files, for the tests in this folder.
import json
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


def expect_bandwidth(cg: Program, output: str) -> None:
    """The results of --bandwidth are printed, and written to result.json, for all runs."""
    result = json.loads((cg.folder / "result.json").read_text())
    runs = result["runs"]
    expect(output.count(" % of the memory bandwidth") == len(runs), f"a line per run: {output}")
    measured = [*result["bytes_per_s"].values(), *(run["memory_bytes_per_s"] for run in runs)]
    expect(all(rates["copy"] > 0 and rates["read"] > 0 for rates in measured) and
           all(run["memory_bandwidth_share"] >= run["best_pass_share"] > 0 for run in runs),
           f"positive: {result}")
