# SPDX-License-Identifier: BSD-3-Clause
"""Completion scripts: bash completes commands, options and values; zsh and fish accept theirs.

Usage: check_completion.py PLAIT SCRATCH_FOLDER
"""

import pathlib
import shutil
import subprocess
import sys

PLAIT, SCRATCH = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
shutil.rmtree(SCRATCH, ignore_errors=True)
(SCRATCH / "plait-runs").mkdir(parents=True)
(SCRATCH / "plan.json").touch()
failures = []
for shell in ("bash", "zsh", "fish"):
    (SCRATCH / f"plait.{shell}").write_text(
        subprocess.run([PLAIT, "completion", shell], capture_output=True, text=True,
                       check=True).stdout, encoding="utf-8")

# readline splits arguments at "=" too.
COMPLETE = r"""
source ./plait.bash
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_plait 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
"""


def complete(*arguments):
    """What bash offers for the last word."""
    done = subprocess.run(["bash", "--norc", "-c", COMPLETE, "bash", "plait", *arguments],
                          capture_output=True, text=True, cwd=SCRATCH, timeout=30, check=False)
    if done.stderr:
        failures.append(f"{arguments}: {done.stderr}")
    return set(done.stdout.split())


def expect(arguments, offered, exactly=False):
    """Notes a failure when bash does not offer these."""
    found = complete(*arguments)
    if not set(offered) <= found or (exactly and found != set(offered)):
        failures.append(
            f"plait {' '.join(arguments)}: offers {sorted(found)}, not {sorted(offered)}")


expect(("",), {"run", "measure", "cluster", "completion"})
expect(("me",), {"measure"}, exactly=True)
expect(("--v",), {"--version"}, exactly=True)
expect(("measure", "--qu"), {"--quick"}, exactly=True)
expect(("run", "--"), {"--trace", "--mpi", "--output", "--help"})
expect(("run", "--mpi", ""), {"openmpi", "mpich", "abi"}, exactly=True)
expect(("run", "--mpi", "m"), {"mpich"}, exactly=True)
expect(("run", "--trace", "=", "r"), {"ring"}, exactly=True)
expect(("run", "--trace", "="), {"full", "ring"}, exactly=True)
expect(("cluster", ""), {"up", "down", "status", "rate", "run", "exec"}, exactly=True)
expect(("cluster", "up", "--no"), {"--nodes"}, exactly=True)
expect(("predict", "jacobi", "--mode", "vec"), {"vector"}, exactly=True)
expect(("report", "plait-r"), {"plait-runs"}, exactly=True)
expect(("apply", "--set", ""), set(), exactly=True)
expect(("completion", ""), {"bash", "zsh", "fish"}, exactly=True)
expect(("help", "rep"), {"report", "replay"} & {"report"})
expect(("run", "--", "ech"), {"echo"})
expect(("run", "--", "mpiexec", "pla"), {"plait-runs", "plan.json"})
if complete("run", "--", "mpiexec", "--tra"):
    failures.append("options of plait are offered for the program")

for shell in ("bash", "zsh", "fish"):
    if shutil.which(shell) is None:
        continue
    done = subprocess.run([shell, "-n", f"plait.{shell}"], capture_output=True, text=True,
                          cwd=SCRATCH, timeout=30, check=False)
    if done.returncode != 0 or done.stderr:
        failures.append(f"{shell} does not accept its script: {done.stderr}")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
