# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs under Plait, perf and py-spy, and counts their samples by function."""
import collections
import json
import math
import os
import re
import shutil
import subprocess

LIMIT_S = 280  # per command


class Failed(Exception):
    """A command failed; the text says which, and why."""


def run(command, folder, **more):
    """The output of a command, which must succeed."""
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8",
           "DEBUGINFOD_URLS": "", **more}
    try:
        done = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=LIMIT_S,
                              check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(f"{command[0]}: {error}") from None
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: exit code {done.returncode}: "
                     f"{(done.stdout + done.stderr)[-600:].strip()}")
    return done.stdout + done.stderr


def plain(name):
    """A function's name without parameters, its type, and what compilers append."""
    name = name.rstrip("_")
    name = re.sub(r"\s*\[clone [^\]]*\]", "", name).replace("(anonymous namespace)", "{anonymous}")
    if "operator" in name:
        return name.replace(" ", "")
    depth = begin = 0
    end = len(name)
    for i, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">")
        if depth == 0 and letter == "(":
            end = i
            break
        if depth == 0 and letter == " ":
            begin = i + 1
    name = re.sub(r"\.(constprop|isra|part|cold|lto_priv)(\.\d+)?", "", name[begin:end])
    return name.replace(" ", "")


def interval(part, everything):
    """Wilson's 95 % interval of a share, as Plait prints it."""
    if not everything:
        return 0.0, 1.0
    z, share = 1.959964, part / everything
    middle = (share + z * z / (2 * everything)) / (1 + z * z / everything)
    half = z / (1 + z * z / everything) * math.sqrt(
        share * (1 - share) / everything + z * z / (4 * everything * everything))
    return middle - half, middle + half


class Plait:
    """plait run --sample. Counts are of functions that exist in the object code: those that were
    inlined belong to the one around them, as perf has it."""
    name = "plait"

    def __init__(self, path, mpi):
        self.path, self.mpi = path, mpi
        self.modules = set()

    def record(self, launch, program, folder, rate):
        self.run = os.path.join(folder, "plait")
        shutil.rmtree(self.run, ignore_errors=True)
        out = run([self.path, "run", "-q", f"--sample={rate}Hz", "--mpi", self.mpi, "-o",
                   self.run, "--", *launch, *program], folder)
        with open(os.path.join(self.run, "samples.json"), encoding="utf-8") as file:
            self.tree = json.load(file)
        return out

    def samples(self):
        return sum(thread["samples"] for thread in self.tree["threads"])

    def _function(self, index):
        return self.tree["functions"][self.tree["nodes"][index]["function"]]

    def by_function(self, modules):
        """Samples in code by function, of the objects; if there are none in the set, it gets those
        with a good part of the samples."""
        found, objects = collections.Counter(), collections.Counter()
        for index, _, _, samples in self.tree["counts"]:
            nodes = self.tree["nodes"]
            while nodes[index]["inlined"] and nodes[index]["parent"] >= 0:
                index = nodes[index]["parent"]
            of = self._function(index)
            if of["kind"] != "code":
                continue
            module = os.path.basename(os.path.realpath(of["module"]))
            found[plain(of["name"]), module] += samples
            objects[module] += samples
        least = 0.02 * sum(objects.values())
        if not modules:
            modules.update(module for module, samples in objects.items() if samples > least)
        by_name = collections.Counter()
        for (name, module), samples in found.items():
            by_name[name] += samples if module in modules else 0
        return +by_name

    def by_line_of(self, script):
        """Samples by the innermost function of a Python file. What the file does at its level,
        such as imports, is left out: Plait begins when MPI is loaded."""
        found = collections.Counter()
        for index, _, _, samples in self.tree["counts"]:
            while index >= 0:
                of = self._function(index)
                if of["kind"] == "python" and os.path.basename(of["file"]) == script:
                    found[of["short"]] += samples if of["short"] != script else 0
                    break
                index = self.tree["nodes"][index]["parent"]
        return +found


class Perf:
    """perf record with the CPU clock, and the kernel's part where that is permitted."""
    name = "perf"

    def __init__(self, folder, call_graph="fp"):
        self.path = shutil.which("perf")
        if not self.path:
            raise Failed("perf was not found (Debian: linux-perf)")
        self.call_graph = call_graph
        for self.event in ("cpu-clock", "cpu-clock:u"):
            try:
                run([self.path, "record", "-q", "-e", self.event, "-o", "perf.try", "--", "true"],
                    folder)
                return
            except Failed as error:
                reason = error
        raise Failed(f"perf does not work here: {reason}")

    def command(self, folder, rate):
        self.file = os.path.join(folder, f"perf.{self.call_graph}")
        return [self.path, "record", "-q", "-e", self.event, "-F", str(rate), "--call-graph",
                self.call_graph, "-o", self.file, "--"]

    def record(self, launch, program, folder, rate):
        """All processes of the launcher in one file, as `perf record mpiexec` has it."""
        self.folder = folder
        return run([*self.command(folder, rate), *launch, *program], folder)

    def samples(self):
        stats = run([self.path, "report", "-i", self.file, "--stats"], os.path.dirname(self.file))
        return sum(map(int, re.findall(r"SAMPLE events:\s+(\d+)", stats)))

    def by_function(self, modules):
        """Samples by function of the objects; those in the kernel belong to what called it."""
        found = collections.Counter()
        text = run([self.path, "script", "-i", self.file, "--no-inline", "-F", "comm,ip,sym,dso"],
                   self.folder)
        for stack in re.split(r"\n\s*\n", text):
            for line in stack.splitlines():
                frame = re.match(r"\s+([0-9a-f]+)\s+(.*)\s+\(([^()]*)\)$", line)
                if not frame or int(frame[1], 16) >> 63:
                    continue
                module = os.path.basename(frame[3])
                if module in modules:
                    found[f"[{module}]" if frame[2] == "[unknown]" else frame[2]] += 1
                break
        names = subprocess.run(["c++filt"], input="\n".join(found), capture_output=True, text=True,
                               check=True).stdout.splitlines()
        by_name = collections.Counter()
        for (_, samples), name in zip(found.items(), names):
            by_name[plain(name)] += samples
        return by_name


class PySpy:
    """py-spy record, for each rank by itself."""

    def __init__(self, path, folder, native):
        self.path = shutil.which(path) or shutil.which("py-spy")
        self.native = ["--native"] if native else []
        self.name = "py-spy --native" if native else "py-spy"
        if not self.path:
            raise Failed("py-spy was not found (tools/bootstrap bench, or PyPI: py-spy)")
        run([self.path, "--version"], folder)

    def record(self, launch, program, folder, rate):
        self.folder = os.path.join(folder, "py-spy")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)
        script = (f'exec "$0" record -r {rate} {" ".join(self.native)} -f raw '
                  f'-o {self.folder}/$$ -- "$@"')
        out = run([*launch, "sh", "-c", script, self.path, *program], folder)
        if not os.listdir(self.folder):
            raise Failed(f"py-spy wrote nothing: {out[-400:]}")
        return out

    def _stacks(self):
        for name in os.listdir(self.folder):
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                for line in file:
                    stack, _, samples = line.rpartition(" ")
                    yield stack.split(";"), int(samples)

    def samples(self):
        return sum(samples for _, samples in self._stacks())

    def by_line_of(self, script):
        found = collections.Counter()
        for stack, samples in self._stacks():
            for frame in reversed(stack):
                of = re.match(r"(.*) \((.*):\d+\)$", frame)
                if of and os.path.basename(of[2]) == script:
                    name = of[1].replace(".<locals>", "")
                    found[name] += samples if name != "<module>" else 0
                    break
        return +found
