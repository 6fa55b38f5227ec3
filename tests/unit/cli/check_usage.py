# SPDX-License-Identifier: BSD-3-Clause
"""A command line that cannot be understood: one line with the input, the reason and what helps.

Usage: check_usage.py PLAIT
"""

import subprocess
import sys

plait = sys.argv[1]
WRONG = {
    "": ("plait: no command is given", "measure"),
    "frobnicate": ("frobnicate: is no command of plait", "one of measure"),
    "frobnicate --bogus": ("frobnicate: is no command of plait", "plait --help"),
    "--bogus": ("--bogus: is no option of plait", "plait --help"),
    "cluster": ("plait cluster: no command is given", "one of up"),
    "cluster frobnicate": ("frobnicate: is no command of plait cluster", "one of up"),
    "predict jacobi --bogus": ("--bogus: is no option of plait predict jacobi", "--help"),
    "predict jacobi --nodes x": ("--nodes: value x not in range 1 to 1000000", "--help"),
    "predict jacobi --nodes": ("--nodes: no value given", "plait predict jacobi --help"),
    "measure --budget -1": ("--budget: value -1 not in range 0.1 to 86400", "plait measure --help"),
    "run --map=far -- true": ("plait run: --map cannot be far", "plait run --help"),
    "machine show one two": ("is one word more than plait machine show takes", "--help"),
    "measure --budget -1.50": ("--budget: value -1.50 not in range 0.1 to 86400", "--help"),
    "map --now v1.0": ("--now: v1.0 not in ", "plait map --help"),
    "export": ("--to is required", "plait export --help"),
}

for words, told in WRONG.items():
    done = subprocess.run([plait, *words.split()], capture_output=True, text=True, timeout=30)
    lines = done.stderr.splitlines()
    if done.returncode != 2 or done.stdout or len(lines) != 1:
        sys.exit(f"plait {words}: exit code {done.returncode}, {done.stdout}{done.stderr}")
    if not lines[0].startswith("plait: error: ") or any(part not in lines[0] for part in told):
        sys.exit(f"plait {words}: {lines[0]} has not {told}")

for words in ("--version", "--help", "predict jacobi --help"):
    done = subprocess.run([plait, *words.split()], capture_output=True, text=True, timeout=30)
    if done.returncode != 0 or done.stderr or not done.stdout:
        sys.exit(f"plait {words}: exit code {done.returncode}, {done.stderr}")
