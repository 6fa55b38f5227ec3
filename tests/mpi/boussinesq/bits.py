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
    for model, boundary in (("smagorinsky", "no_slip"), ("sigma", "periodic")):
        done = flow.run(2, *FLOW, "--steps", "3", "--subgrid", model, "--boundary", boundary,
                        "--pencils", "2x1", "--check")
        expect(done.returncode == 0 and "check: equal to the run on one rank" in done.stdout,
               done.stdout + done.stderr)


if __name__ == "__main__":
    main()
