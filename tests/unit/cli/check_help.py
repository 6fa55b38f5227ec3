# SPDX-License-Identifier: BSD-3-Clause
"""The help of every command: groups, 80 columns, defaults in one form, no names of types.

Usage: check_help.py PLAIT
"""

import re
import subprocess
import sys

plait = sys.argv[1]
failures = []


def output(*arguments):
    """What plait prints with these arguments."""
    done = subprocess.run([plait, *arguments], capture_output=True, text=True, timeout=30,
                          check=False)
    if done.returncode != 0 or done.stderr:
        failures.append(f"{arguments}: exit code {done.returncode}, {done.stderr}")
    return done.stdout


def commands_of(text):
    """The commands that a help lists."""
    lists = re.findall(r"^(?:Commands|Measure|Run and explain|Decide|Several nodes|Tools):\n"
                       r"((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  ([a-z]+)  ", "".join(lists), re.M)


def check(*path):
    """Checks the help of a command and of its subcommands."""
    text = output(*path, "--help")
    if output("help", *path) != text:
        failures.append(f"plait help {path} prints something else than --help")
    for line in text.splitlines():
        if len(line) > 80:
            failures.append(f"{path}: wider than 80 columns: {line}")
        if re.search(r"\b(TEXT|INT|UINT|FLOAT|BOOLEAN|ENUM)\b|\[default|by default\)", line):
            failures.append(f"{path}: the name of a type, or another form of default: {line}")
        if line != line.rstrip():
            failures.append(f"{path}: blanks at the end: {line!r}")
    if f"Usage: plait {' '.join(path)}".rstrip() not in text:
        failures.append(f"{path}: no usage")
    for command in commands_of(text):
        check(*path, command)
    return text


whole = check()
for group in ("Measure", "Run and explain", "Decide", "Several nodes", "Tools"):
    if f"\n{group}:\n" not in whole:
        failures.append(f"plait --help has no group {group}")
if len(commands_of(whole)) != 22 or "write-man-pages" in whole:
    failures.append(f"plait --help lists {commands_of(whole)}")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
