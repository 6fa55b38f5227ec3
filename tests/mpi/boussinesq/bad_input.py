#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Bad input ends the run with one error line from one rank and an exit code on all ranks, before the
# long work. Runs on 1, 2 and 6 ranks.
from run_boussinesq import Program

# ranks, options, text in the error line
CASES = [
    (6, ("--size", "8x8x64"),
     "slabs of 64 planes and 5 modes along y fit at most 5 ranks; use at most 5 ranks with more "
     "--threads, or --pencils 2x3"),
    (2, ("--size", "8x8x9", "--pencils", "2x2"), "not the 2 ranks of the program"),
    (2, ("--size", "8x2x9", "--pencils", "1x2"), "at most 2x1 fit this grid"),
    (1, ("--size", "7x8x9"), "NX even"),
    (1, ("--size", "8x8x4"), "NZ at least 8"),
    (1, ("--size", "8x8"), "use NXxNYxNZ"),
    (1, ("--dt", "1"), "unstable at step 0; the largest stable step is 0.0"),
    (2, ("--size", "65536x65536x65536", "--schedule", "blocking"), "needs"),
    (1, ("--schedule", "fast"), "fast"),
    (1, ("--transport", "fast"), "fast"),
    (1, ("--stratification", "absent.txt"), "neither a number nor a file"),
    (1, ("--current", "bad.txt"), "line 2 cannot be read"),
    (1, ("--pair", "1,2"), "use Y,Z,B0,G,CORE"),
    (1, ("--initial", "storm"), "use taylor_green, pair, wave, turbulence or rest"),
    (1, ("--poisson", "banded", "--boundary", "periodic"), "use --poisson cosine"),
    (1, ("--poisson", "cosine", "--boundary", "no_slip"), "use --poisson banded"),
    (1, ("--fft", "fftw", "--check"), "does not keep bits"),
    (1, ("--json", "absent/x.json"), "cannot be written"),
    (1, ("--restart", "absent"), "No such file"),
    (1, ("--hybrid", "2x1"), "the program has 1 ranks"),
    (1, ("--scaling", "--output", "x"), "not available for a series of runs"),
    (1, ("--threads", "0"), "--threads 0"),
    (1, ("--picture", "x.ppm", "--slice", "u,z,65"), "from 0 to 64"),
    (1, ("--slice", "u,z,0"), "add --picture FILE"),
    (1, ("--filter", "0.5"), "0 to below 0.5"),
]


def main() -> None:
    flow = Program()
    (flow.folder / "bad.txt").write_text("0 1 0\n0 2 0\n")
    flow.expect_refusals("boussinesq", CASES)


if __name__ == "__main__":
    main()
