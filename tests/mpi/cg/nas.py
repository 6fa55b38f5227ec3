#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The NAS classes S and W verify under every schedule with the same bits on 1, 2 and 4 ranks (under
# MPICH on 1 and 2; W on one number of ranks), with given and with chosen grains, and class A on 1.
from run_cg import Program, expect, expect_bandwidth, expect_equal_bits


def main() -> None:
    cg = Program()
    mpich = "mpich" in cg.folder.name
    for count in (1, 2) if mpich else (1, 4, 2):
        # It needs arrays larger than the caches, and time: once is enough.
        bandwidth = ("--bandwidth",) if count == 2 and not mpich else ()
        text = expect_equal_bits(cg, count, 4, "--class", "S", "--json", "result.json", *bandwidth)
        if bandwidth:
            expect_bandwidth(cg, text)
        expect(("grains of " in text) == (count > 1), f"rows of grains on {count}: {text}")
        if count != (2 if mpich else 4):
            continue
        text = expect_equal_bits(cg, count, 4, "--class", "W", "--grain", "500",
                                 "--grains-before", "3")
        expect("grains of 500 rows, 3 of them before the first message" in text, text)
    if mpich:
        return
    done = cg.run(1, "--class", "A", "--schedule", "mpi", "--compare-kernels")
    expect(done.returncode == 0 and all(text in done.stdout for text in (
        "zeta 17.1302350540", "local product: crs")), f"class A: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
