#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A run restarted from a checkpoint, on other ranks and threads, gives the bits and the last step of
# an uninterrupted run. Files that are not its checkpoints are refused.
import json
from concurrent.futures import ThreadPoolExecutor

from run_jacobi import Jacobi, expect

SIZE = ("--size", "19x17x13", "--problem", "poisson", "--boundary", "periodic,neumann,static")


def refused(jacobi: Jacobi, options: tuple, text: str) -> None:
    """Two ranks must end with one error line that contains this text."""
    done = jacobi.run(2, *options)
    lines = [line for line in done.stderr.splitlines() if "plait-jacobi: error:" in line]
    expect(done.returncode != 0 and len(lines) == 1 and text in lines[0],
           f"{options} is refused with '{text}': {done.returncode} {done.stderr}")


def main() -> None:
    jacobi = Jacobi()
    whole = jacobi.solve(3, *SIZE, "--steps", "60")
    jacobi.solve(4, *SIZE, "--steps", "37", "--checkpoint", "at", "--checkpoint-every", "10")
    for ranks, threads in ((1, 1), (2, 2), (6, 1)):
        again = jacobi.solve(ranks, "--restart", "at", "--steps", "60", threads=threads)
        expect(again["iteration"]["first_step"] == 37, "the last step is kept")
        expect(again["checksum"] == whole["checksum"], f"the same bits on {ranks} ranks")
    again = jacobi.solve(2, "--restart", "at", "--steps", "60", "--temporal", "4")
    expect(again["checksum"] == whole["checksum"], "the same bits with temporal blocking")

    uneven = ("sh", "-c", 'OMP_NUM_THREADS=$((1 + ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}} % 3)) '
              'exec "$0" "$@"')
    done = jacobi.run(3, "--restart", "at", "--steps", "60", "--json", "uneven.json", under=uneven)
    expect(done.returncode == 0, f"ranks with 1, 2 and 3 threads: {done.stderr}")
    again = json.loads((jacobi.folder / "uneven.json").read_text())["runs"][0]
    expect(again["checksum"] == whole["checksum"], "the same bits with other threads on each rank")
    expect([len(rank["cpus"]) for rank in again["placement"]] == [1, 2, 3], "each rank's CPUs")

    # A checkpoint includes a pending test: the change of a step is tested after the next step.
    until = ("--until", "3e-3", "--check-every", "20")
    ends = jacobi.solve(2, *SIZE, *until)
    tested = ends["iteration"]["steps"] - 1
    expect(tested % 20 == 0, "the test comes one step later")
    jacobi.solve(3, *SIZE, "--steps", str(tested), *until, "--checkpoint", "tested",
                 "--checkpoint-every", str(tested))
    again = jacobi.solve(1, "--restart", "tested", *until)
    expect(again["iteration"]["steps"] == tested + 1, "the pending test is repeated")
    expect(again["checksum"] == ends["checksum"], "the same bits and the same end")

    good = (jacobi.folder / "at").read_bytes()
    (jacobi.folder / "cut").write_bytes(good[:-8])
    (jacobi.folder / "short").write_bytes(good[:100])
    (jacobi.folder / "flipped").write_bytes(good[:5000] + bytes([good[5000] ^ 1]) + good[5001:])
    (jacobi.folder / "head").write_bytes(good.replace(b"steps 37", b"steps 36", 1))
    (jacobi.folder / "foreign").write_text("a letter\n")
    cases = (
        (("at", "--size", "20"), "has --size 19x17x13, not 20x20x20"),
        (("at", "--problem", "laplace"), "has --problem poisson"),
        (("at", "--boundary", "static"), "has --boundary periodic"),
        (("cut",), "truncated"),
        (("short",), "header does not match its checksum"),
        (("flipped",), "cells do not match their checksum"),
        (("head",), "header does not match its checksum"),
        (("foreign",), "not a plait-jacobi checkpoint"),
        (("absent",), "No such file"),
    )
    # Launchers mostly wait: for ranks to start, and for an error to reach them.
    with ThreadPoolExecutor(max_workers=4) as several:
        list(several.map(lambda case: refused(jacobi, ("--restart", *case[0]), case[1]), cases))


if __name__ == "__main__":
    main()
