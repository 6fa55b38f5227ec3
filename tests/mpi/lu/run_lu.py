# SPDX-License-Identifier: BSD-3-Clause
# Runs plait-lu on the cases of an HPL.dat under every schedule, for the tests in this folder.
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jacobi"))
from run_jacobi import Jacobi as Program, expect  # noqa: E402,F401

LINES = """HPLinpack benchmark input file
Plait's tests
HPL.out output file name (if any)
6 device out
{sizes} # of problems sizes (N), then Ns
{blocks} # of NBs, then NBs
{order} PMAP process mapping (0=Row-,1=Column-major)
{grids} # of process grids (P x Q), then Ps and Qs
16.0 threshold
1 # of panel fact
2 PFACTs (0=left, 1=Crout, 2=Right)
1 # of recursive stopping criterium
4 NBMINs (>= 1)
1 # of panels in recursion
2 NDIVs
1 # of recursive panel fact.
2 RFACTs (0=left, 1=Crout, 2=Right)
{broadcasts} # of broadcast, then BCASTs
{depths} # of lookahead depth, then DEPTHs
{swap} SWAP (0=bin-exch,1=long,2=mix)
20 swapping threshold
0 L1 in (0=transposed,1=no-transposed) form
0 U in (0=transposed,1=no-transposed) form
0 Equilibration (0=no,1=yes)
8 memory alignment in double (> 0)
"""


def counted(numbers: list) -> str:
    """A line with a count and one with the numbers."""
    return f"{len(numbers)}\n{' '.join(map(str, numbers))}"


def hpl_dat(grids: list, sizes: list, blocks: list, broadcasts: tuple = (1,), depths: tuple = (1,),
            swap: int = 2, order: int = 0) -> str:
    """The text of an HPL.dat; grids are pairs of P and Q."""
    rows, columns = zip(*grids)
    return LINES.format(sizes=counted(sizes), blocks=counted(blocks), order=order,
                        grids=f"{counted(rows)}\n{' '.join(map(str, columns))}",
                        broadcasts=counted(broadcasts), depths=counted(depths), swap=swap)


def expect_equal_bits(lu: Program, ranks: int, text: str, cases: int, *options: str) -> None:
    """All cases pass HPL's test under all schedules, which have the same bits."""
    (lu.folder / "HPL.dat").write_text(text)
    done = lu.run(ranks, "--hpl", "HPL.dat", "--schedule", "all", "--threads", "2", "--grain", "24",
                  "--json", "result.json", *options)
    line = f"check: {3 * cases} runs, 0 failed, 0 differ between schedules"
    expect(done.returncode == 0 and line in done.stdout, f"{line}\n{done.stdout}{done.stderr}")
    expect(done.stdout.count("PASSED") == 3 * cases, "a result line for each run")
