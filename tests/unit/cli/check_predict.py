#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plait predict jacobi at the command line: Stengel's figures, its text, and its errors.

check_predict.py PLAIT DATA_FOLDER SCRATCH_FOLDER VALIDATE_PY SCHEMA
PLAIT_UPDATE_GOLDEN=1 writes the golden text again; read the difference.
"""

import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

from expectations import exit_code, expect

PLAIT, DATA, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
GOLDEN = pathlib.Path(__file__).parent / "golden"
STENGEL = ["--machine", "townsend", "--nodes", "1,2,3,4,6,8,12,16,24,27,32", "--size", "120"]
# This host has no measurement here, whoever runs the test.
ENVIRONMENT = {**os.environ, "XDG_DATA_HOME": str(SCRATCH), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}


def predict(*arguments):
    """The finished command."""
    return subprocess.run([PLAIT, "predict", "jacobi", *arguments], capture_output=True, text=True,
                          env=ENVIRONMENT, cwd=SCRATCH, check=False)


def rows(name):
    """The rows of a CSV file whose comments begin with #."""
    with open(DATA / name, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def check_figures():
    """The command's JSON has the thesis' table 2.1, and its figure 2.5 to 0.1 MLUP/s."""
    file = SCRATCH / "prediction.json"
    done = predict(*STENGEL, "--output", str(file))
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    expect(f"JSON: {file}" in done.stdout, "the text does not say where the JSON is")
    document = json.loads(file.read_text(encoding="utf-8"))
    printed = json.loads(predict(*STENGEL, "--output", "-").stdout)
    for one in (document, printed):
        one.pop("created")
    expect(document == printed, "--output - prints something else than --output FILE writes")
    of_nodes = {str(one["nodes"]): one for one in document["predictions"]}

    table = rows("stengel/stengel_table_2_1.csv")
    expect(len(table) == 11, f"{len(table)} rows of table 2.1")
    for row in table:
        one = of_nodes[row["nodes"]]
        found = [*one["dims"], one["max_neighbours"], one["communications"]["mpi_1ppn"],
                 one["communications"]["mpi_all"]]
        expect([str(number) for number in found] == list(row.values())[1:],
               f"table 2.1, {row['nodes']} nodes: {found}")

    figure = rows("stengel/stengel_predictions.csv")
    expect(len(figure) == 11, f"{len(figure)} rows of figure 2.5")
    for row in figure:
        modes = {mode["mode"]: mode for mode in of_nodes[row["nodes"]]["modes"]}
        expect(set(modes) == set(row) - {"nodes"}, f"modes {sorted(modes)}")
        for name, mode in modes.items():
            speed = mode["mlups"]
            expect(abs(speed["value"] - float(row[name])) <= 0.1,
                   f"{row['nodes']} nodes, {name}: {speed['value']} instead of {row[name]}")
            expect(speed["low"] <= speed["value"] <= speed["high"], f"interval {speed}")


def check_text(name, *arguments):
    """What is printed is golden/NAME, in 80 columns."""
    text = predict(*arguments).stdout
    expect(all(len(line) <= 80 for line in text.splitlines()), f"{name}: wider than 80 columns")
    file = GOLDEN / name
    if "PLAIT_UPDATE_GOLDEN" in os.environ:
        file.write_text(text, encoding="utf-8")
    elif file.read_text(encoding="utf-8") != text:
        expect(False, f"{name} differs (after a wanted change: PLAIT_UPDATE_GOLDEN=1):\n{text}")


def check_refusal(text, *arguments, code=2):
    """That exit code and one line on standard error that holds TEXT."""
    done = predict(*arguments)
    expect(done.returncode == code and text in done.stderr and done.stderr.count("\n") == 1,
           f"{arguments}: exit code {done.returncode}, expected {text!r}:\n{done.stderr}")
    expect(done.stdout == "", f"{arguments}: printed {done.stdout!r}")


def check_given_inputs():
    """Figures given by hand are those of the file."""
    by_hand = ["--nodes", "8", "--speed", "177,198", "--latency", "50us", "--bandwidth", "90MB/s",
               "--pair-bandwidth", "85MB/s", "--json"]
    given = json.loads(predict(*by_hand, "--machine", "woodcrest").stdout)
    measured = json.loads(predict(*STENGEL, "--output", "-").stdout)
    eight = [one for one in measured["predictions"] if one["nodes"] == 8]
    for a, b in zip(given["predictions"][0]["modes"], eight[0]["modes"], strict=True):
        for end in ("value", "low", "high"):
            expect(abs(a["mlups"][end] / b["mlups"][end] - 1) < 1e-9, f"by hand: {a} != {b}")
    expect(given["speed_from"] == "command line", given["speed_from"])


def check_drawn_figures():
    """--figure has the thesis' machine, nodes and modes; the page holds the same figures."""
    csv_rows = rows("stengel/stengel_predictions.csv")
    for figure, modes in (("2.3", ["mpi_1ppn"]), ("2.5", list(csv_rows[0])[1:])):
        page = SCRATCH / "figure.html"
        document = json.loads(predict("--figure", figure, "--html", str(page),
                                      "--json").stdout)
        expect(document["figure"].startswith(figure + ": "), document["figure"])
        found = [[one["nodes"], *(mode["mlups"]["value"] for mode in one["modes"])]
                 for one in document["predictions"]]
        for row, point in zip(csv_rows, found, strict=True):
            wanted = [float(row[name]) for name in ["nodes", *modes]]
            expect(all(abs(a - b) <= 0.1 for a, b in zip(point, wanted, strict=True)),
                   f"figure {figure}: {point} instead of {wanted}")
        if page.exists():  # it is left out where Plait was built without node
            expect('"figure":"' + document["figure"] in page.read_text(encoding="utf-8"), "page")


def jacobi_result(nodes, mlups, **grid):
    """What plait-jacobi --json writes of 120^3 cells per node, one behind the other along x."""
    placement = [{"rank": node, "host": f"n{node}", "coordinates": [node, 0, 0],
                  "first": [120 * node, 0, 0], "last": [120 * (node + 1), 120, 120], "cpus": [0]}
                 for node in range(nodes)]
    run = {"grid": {"cells": [120 * nodes, 120, 120], "ranks": [nodes, 1, 1], "processes": nodes,
                    "threads": 1, **grid},
           "iteration": {"mlups": mlups}, "run": {"schedule": "blocking"}, "placement": placement}
    return {"schema": "plait-jacobi", "schema_version": 1, "runs": [run]}


def check_measured():
    """Measured points stand beside what is predicted for the machine that they ran on."""
    folder = SCRATCH / "measured"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for nodes, mlups in ((1, 170), (2, 300)):
        for run in range(6):
            (folder / f"{nodes}-{run}.json").write_text(
                json.dumps(jacobi_result(nodes, mlups + run)), encoding="utf-8")
    measured = ["--figure", "2.3", "--measured", str(folder), "--measured-machine", "townsend"]
    file = SCRATCH / "measured.json"
    text = predict(*measured, "--output", str(file)).stdout
    expect(all(len(line) <= 80 or line.startswith(("JSON: ", "Runs: "))
               for line in text.splitlines()), f"wider than 80 columns:\n{text}")
    points = json.loads(file.read_text(encoding="utf-8"))["measured"]["points"]
    found = [(point["nodes"], point["mode"], point["runs"], point["mlups"], point["shares_cores"])
             for point in points]
    expect(found == [(1, "mpi_1ppn", 6, {"value": 172.5, "low": 170, "high": 175}, False),
                     (2, "mpi_1ppn", 6, {"value": 302.5, "low": 300, "high": 305}, False)], found)
    own = [point["predicted"]["value"] for point in points]
    expect(abs(own[0] - 177) < 0.1 and abs(own[1] - 311.6) < 0.1, f"predicted {own}")
    # Parts of one machine share its memory: two nodes of one core compute at P(2).
    nodes = [{"name": f"n{node}", "address": f"10.77.0.{node + 1}", "pid": 1, "pus": [node % 2],
              "cores": 1} for node in range(3)]
    cluster = {"name": "three", "bytes_per_second": 125e6, "latency_s": 0, "head_pid": 1,
               "user_namespace": False, "ends_with_caller": False, "shares_cores": True,
               "folder": str(folder), "nodes": nodes}
    (folder / "cluster.json").write_text(
        json.dumps({"schema": "plait-cluster", "schema_version": 1, "clusters": [cluster]}),
        encoding="utf-8")
    (folder / "3.json").write_text(json.dumps(jacobi_result(3, 400)), encoding="utf-8")
    emulated = json.loads(predict(*measured, "--json").stdout)["measured"]
    cells, exchange = 120**3, 115200 / 90e6 + 50e-6
    expect(abs(emulated["points"][1]["predicted"]["value"] -
               2 * cells / (cells / 99e6 + exchange) / 1e6) < 0.1, emulated["points"])
    expect([point["shares_cores"] for point in emulated["points"]] == [False, False, True],
           "three nodes share two cores")
    expect("3*  mpi_1ppn" in predict(*measured).stdout, "the mark of shared cores")
    done = subprocess.run([sys.executable, sys.argv[4], sys.argv[5], str(file)], check=False)
    expect(done.returncode in (0, 77), "measured.json does not fit its schema")
    (folder / "wrong.json").write_text(json.dumps(jacobi_result(2, 9, processes=3)),
                                       encoding="utf-8")
    check_refusal("wrong.json", *measured)


def main():
    SCRATCH.mkdir(parents=True, exist_ok=True)
    check_figures()
    check_drawn_figures()
    check_measured()
    check_refusal("choose 2.3 or 2.5", "--figure", "2.4")
    check_refusal("no results of plait-jacobi", "--figure", "2.3", "--measured", "nowhere")
    check_refusal("no such cluster is up", "--figure", "2.3", "--cluster", "nowhere")
    check_text("predict_townsend.txt", *STENGEL)
    check_text("predict_strong.txt", "--machine", "measured-example", "--latency", "20us",
               "--bandwidth", "1.2GB/s", "--strong", "600x600x300", "--nodes", "1,16,200")
    check_text("predict_dims.txt", "--machine", "townsend", "--dims", "1x1x8,2x2x2", "--mode",
               "mpi_all,vector")
    check_given_inputs()
    townsend = ["--machine", "townsend"]
    check_refusal("no network between nodes was measured", "--machine", "measured-example")
    check_refusal("give --latency and --bandwidth of your network", "--machine", "woodcrest",
                  "--speed", "100,150")
    check_refusal("the speed of the Jacobi kernel was not measured", "--machine", "woodcrest")
    check_refusal("unknown machine", "--machine", "nowhere")
    check_refusal("choose one of all, mpi_1ppn, mpi_2ppn, vector", *townsend, "--mode", "fast")
    check_refusal("not a mode of the Jacobi solver on 1 core per node", *townsend, "--cores", "1",
                  "--mode", "vector")
    check_refusal("5: not a time", *townsend, "--latency", "5")
    check_refusal("90MB: not a bandwidth", *townsend, "--bandwidth", "90MB")
    check_refusal("-1MB/s: not a bandwidth", *townsend, "--bandwidth=-1MB/s")
    for size in ("0", "120x", "120x120", "120x120x120x120", "x", "-4", "12.5", "120 "):
        check_refusal("not three numbers", *townsend, f"--size={size}")
    check_refusal("more than there are cells along an axis", *townsend, "--strong", "8x8x8",
                  "--nodes", "11")
    check_refusal("too many nodes", *townsend, "--dims",
                  "1000000x1000000x1000000")
    check_refusal("not a positive speed", *townsend, "--speed", "177,0")
    check_refusal("cannot be written", *townsend, "--output", "no/such/folder/file.json")
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
