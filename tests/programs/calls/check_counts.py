#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program of known calls under `plait run` and compares profile.json with the table.

    check_counts.py --plait PATH --table NAME [--mpi4py] -- mpiexec -n 2 program
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def run(plait, command, folder):
    environment = dict(os.environ)
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT"):
        environment[name] = environment[name + "_CONFIRM"] = "1"
    return subprocess.run([plait, "run", "--output", folder, "--", *command], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=150)


def counted(profile, fold_large_counts):
    calls = {}
    for call in profile["calls"]:
        name = call["name"]
        if fold_large_counts and name.endswith("_c"):
            name = name[:-2]
        count, size = calls.get(name, (0, 0))
        calls[name] = (count + call["count"], size + call["bytes"])
    return calls


def differences(expected, seen, mpi4py):
    table = {name: tuple(value) for name, value in expected.items()}
    if mpi4py:
        table = {name: value for name, value in table.items()
                 if name not in mpi4py["asked_by_itself"]}
        for name, size in mpi4py["bytes"].items():
            table[name] = (table[name][0], size)
        seen = {name: value for name, value in seen.items() if name in table}
    for name in sorted(table.keys() | seen.keys()):
        if table.get(name) != seen.get(name):
            yield f"{name}: expected {table.get(name)}, counted {seen.get(name)} (calls, bytes)"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plait", required=True)
    parser.add_argument("--table", required=True)
    parser.add_argument("--mpi4py", action="store_true")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    expected = json.loads(pathlib.Path(__file__).with_name("expected.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        directory = os.path.join(folder, "run")
        ended = run(options.plait, options.command, directory)
        if ended.returncode != 0 or f"{options.table}: done" not in ended.stdout:
            sys.exit(f"exit code {ended.returncode}\n{ended.stdout}\n{ended.stderr}")
        profile = json.loads(pathlib.Path(directory, "profile.json").read_text())
    seen = counted(profile, options.mpi4py)
    problems = list(differences(expected[options.table], seen,
                                expected["mpi4py"] if options.mpi4py else None))
    if len(profile["ranks"]) != 2:
        problems.append(f"{len(profile['ranks'])} ranks were recorded, not 2")
    names = {name.lower() for name in seen}
    problems += [f"{entry}: counted, and reported as not recorded"
                 for entry in profile["overhead"]["unseen_entry_points"]
                 if entry.lower().rstrip("_").removeprefix("p") in names]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(expected[options.table])} functions, all counts and bytes as constructed")


main()
