# SPDX-License-Identifier: BSD-3-Clause
"""Command lines that cannot be understood: one line that says what is wrong and what helps.

Usage: check_usage.py PLAIT
"""

import subprocess
import sys

plait = sys.argv[1]
WRONG = {
    "": ("plait needs a command; plait --help lists the commands",),
    "frobnicate": ('unknown command "frobnicate"; plait --help lists the commands',),
    "frobnicate --bogus": ('unknown command "frobnicate"',),
    "rnu": ('unknown command "rnu"; did you mean "run"?',),
    "--bogus": ('unknown option "--bogus"; plait --help',),
    "cluster": ("plait cluster needs a command", "plait cluster --help"),
    "cluster frobnicate": ('unknown command "frobnicate"; plait cluster --help',),
    "cluster stauts": ('unknown command "stauts"; did you mean "status"?',),
    "predict jacobi --bogus": ('unknown option "--bogus"; plait predict jacobi --help',),
    "predict jacobi --nodse 3": ('unknown option "--nodse"; did you mean "--nodes"?',),
    "predict jacobi --nodes x": ('--nodes: "x" is not a number from 1 to 1000000',),
    "predict jacobi --nodes 1,,2": ('--nodes: "" is not a number',),
    "predict jacobi --nodes": ("--nodes needs a value: --nodes NUMBERS",),
    "predict jacobi --dims 1x1x1 --nodes 2": ("--dims and --nodes cannot be used together",),
    "predict cg --compute 3s": ("--compute needs --communicate",),
    "measure --budget -1": ('--budget: "-1" is not a number from 0.1 to 86400',),
    "measure --budget -1.50": ('--budget: "-1.50" is not a number',),
    "measure --quik": ('did you mean "--quick"?',),
    "measure --quick=maybe": ("--quick",),
    "measure --output a --output b": ("--output was given more than once",),
    "run --map=far -- true": ("--map takes no value",),
    "run --trace=some -- true": ('--trace: "some" is not one of full, ring',),
    "run --trcae -- true": ('unknown option "--trcae"; did you mean "--trace"?',),
    "run": ("no program to run; example: plait run -- mpiexec -n 4 ./app",),
    "machine show one two": ('unexpected argument "one"', "plait machine show --help"),
    "predict jacobi --json file.json": ('unexpected argument "file.json"', "--output FILE"),
    "map --now v1.0": ('--now: "v1.0" is not one of block, cyclic',),
    "export": ("--to FORMAT is missing", "plait export --help"),
    "import": ("ARCHIVE is missing", "plait import --help"),
    "help rnu": ('unknown command "rnu"; did you mean "run"?',),
    "completion csh": ('SHELL: "csh" is not one of bash, zsh, fish',),
}

for arguments, wanted in WRONG.items():
    done = subprocess.run([plait, *arguments.split()], capture_output=True, text=True, timeout=30)
    lines = done.stderr.splitlines()
    if done.returncode != 2 or done.stdout or len(lines) != 1:
        sys.exit(f"plait {arguments}: exit code {done.returncode}, {done.stdout}{done.stderr}")
    if not lines[0].startswith("plait: error: ") or any(part not in lines[0] for part in wanted):
        sys.exit(f"plait {arguments}: {lines[0]} does not say {wanted}")

for arguments in ("--version", "-V", "--help", "-h", "predict jacobi --help", "help", "help run",
              "help cluster up", "run --help --", "export --help", "completion bash"):
    done = subprocess.run([plait, *arguments.split()], capture_output=True, text=True, timeout=30)
    if done.returncode != 0 or done.stderr or not done.stdout:
        sys.exit(f"plait {arguments}: exit code {done.returncode}, {done.stderr}")
