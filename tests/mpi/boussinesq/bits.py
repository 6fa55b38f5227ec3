#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# All schedules, transports, slabs, pencils and threads give the bits of the serial run, also with a
# subgrid model. Runs on 1, 2 and 4 ranks (MPICH: 1 and 2).
import os

from run_boussinesq import FLOW, Program, expect

RANKS = int(os.environ["PLAIT_TEST_RANKS"])


def main() -> None:
    flow = Program()
    done = flow.run(RANKS, *FLOW, "--steps", "3", "--threads", "2", "--check-all")
    sizes = 3 if RANKS == 4 else 2
    line = f"check: all {sizes * 2 * 2 * 7} runs equal to the serial one, bit for bit"
    expect(done.returncode == 0 and line in done.stdout, line + "\n" + done.stdout + done.stderr)
    pencils = ("--pencils", "2x2" if RANKS == 4 else "1x2")
    for ranks, options in (
        (2, ("--subgrid", "smagorinsky", "--boundary", "no_slip", "--pencils", "2x1")),
        (RANKS, ("--subgrid", "sigma", "--boundary", "periodic", "--transport", "point_to_point",
                 "--schedule", "polled", "--chunks", "5")),
        (max(2, RANKS), ("--subgrid", "sigma", "--transport", "alltoallv", *pencils,
                         "--schedule", "comm_thread", "--threads", "2", "--chunks", "3")),
    ):
        done = flow.run(ranks, *FLOW, "--steps", "3", *options, "--check")
        expect(done.returncode == 0 and "check: equal to the run on one rank" in done.stdout,
               done.stdout + done.stderr)


if __name__ == "__main__":
    main()
