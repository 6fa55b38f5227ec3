# SPDX-License-Identifier: BSD-3-Clause
"""Checks from inside the ranks that each launcher follows a plan; environment: PLAIT, LAUNCHERS."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PLAIT = os.environ["PLAIT"]
LAUNCHERS = [pair.split("=") for pair in os.environ["LAUNCHERS"].split("|") if pair]
LIMIT_S = 150  # of one command; it only ends what hangs


def plan(places, threads=1):
    """A plan with these (cpus, cores) for its ranks."""
    return {"schema": "plait-plan", "schema_version": 1, "name": "test", "reason": "",
            "source": "", "ranks": len(places), "threads": threads,
            "places": [{"node": "", "cpus": cpus, "cores": cores} for cpus, cores in places],
            "reorder": "no", "environment": {}, "launcher_options": [], "only_for": None,
            "predicted": {"of": "", "before": None, "after": None}}


def where(folder, mpiexec, program, content):
    path = pathlib.Path(folder) / "plan.json"
    path.write_text(json.dumps(content))
    environment = {**os.environ, "XDG_DATA_HOME": folder}
    library = pathlib.Path(mpiexec).parent.parent / "lib"
    if "build/deps" in mpiexec:
        environment["LD_LIBRARY_PATH"] = str(library)
    result = subprocess.run(
        [PLAIT, "where", "--json", "--plan", str(path), "--", mpiexec, "-n", "2", program, "exit",
         "0"], capture_output=True, cwd=folder, timeout=LIMIT_S, env=environment, check=False)
    assert result.returncode == 0, (mpiexec, result.stderr.decode())
    return json.loads(result.stdout)


def main():
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2 or not LAUNCHERS:
        print("skipped: needs two CPUs and an MPI")
        return 77
    first, second = str(cpus[0]), str(cpus[1])
    cases = {"swapped": plan([(second, ""), (first, "")]),
             "swapped cores": plan([("1", "1"), ("0", "0")]),
             "wide and narrow": plan([(f"{first},{second}", ""), (second, "")])}
    if cpus[:2] != [0, 1]:
        del cases["swapped cores"]
    for mpiexec, program in LAUNCHERS:
        for name, content in cases.items():
            with tempfile.TemporaryDirectory(prefix="plait-place-test-") as folder:
                seen = where(folder, mpiexec, program, content)
            assert seen["plan"] == "All 2 ranks ran where the plan puts them.", (
                mpiexec, name, seen)
            masks = {thread["rank"]: thread["cpus"] for thread in seen["threads"]}
            wanted = [place["cpus"] for place in content["places"]]
            expected = [text.replace("0,1", "0-1") for text in wanted]
            assert [masks[0], masks[1]] == expected, (mpiexec, name, masks)
            print(f"{mpiexec}: {name}: kept")
    for mpiexec, _ in LAUNCHERS:
        if "build/deps" not in mpiexec and shutil.which("numactl") and cpus == [0, 1]:
            check_numactl(mpiexec, first, second)
    if "swapped cores" in cases:
        check_found([pair for pair in LAUNCHERS if "openmpi" in pair[0]])
    return 0


def check_found(open_mpis):
    """A plan whose rankfile contradicts its places is not followed, and the check finds that."""
    for mpiexec, program in open_mpis:
        with tempfile.TemporaryDirectory(prefix="plait-place-test-") as folder:
            seen = where(folder, mpiexec, program, plan([("0", "1"), ("1", "0")]))
        assert seen["plan"].startswith("2 of 2 ranks did not run where"), (mpiexec, seen)
        assert seen["findings"][0]["id"] == "places_differ", (mpiexec, seen)


def check_numactl(mpiexec, first, second):
    """Ranks bind themselves where the plan puts them, although the launcher binds them, too."""
    emit = [PLAIT, "place", "2 ranks x 1 thread", "--emit", "numactl", "--program",
            "grep Cpus_allowed_list /proc/self/status"]
    script = subprocess.run(emit, capture_output=True, timeout=LIMIT_S, check=True).stdout.decode()
    binds = [f"  0) cpus={first} ;;\n", f"  1) cpus={second} ;;\n"]
    assert all(line in script for line in binds), script
    script = script.replace("mpirun -np", f"{mpiexec} -np")
    # Swapped, so that they are not the launcher's choice.
    script = script.replace("".join(binds), f"  0) cpus={second} ;;\n  1) cpus={first} ;;\n")
    alone = script.replace("-np 2", "-np 1")
    nameless = script.replace("RANK", "NONE").replace("PROCID", "NONE")
    for own, wanted in ((script, [0, first, second]), (alone, [0, second]), (nameless, [1])):
        with tempfile.TemporaryDirectory(prefix="plait-place-test-") as folder:
            done = subprocess.run(["bash"], input=own.encode(), capture_output=True, cwd=folder,
                                  timeout=LIMIT_S, check=False)
            left = os.listdir(folder)
        bound = sorted(line.split()[1] for line in done.stdout.decode().splitlines())
        seen = [min(done.returncode, 1), *bound]
        assert seen == wanted and not left, (mpiexec, seen, left, done.stderr.decode())
    assert "tells ranks no number" in done.stderr.decode(), done.stderr


if __name__ == "__main__":
    sys.exit(main())
