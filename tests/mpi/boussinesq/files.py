#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Restarts continue with equal bits on other ranks, damaged checkpoints are refused, and results are
# written in all formats. Runs on 1, 2 and 3 ranks.
from run_boussinesq import FLOW, Program, expect


def main() -> None:
    flow = Program()
    whole = flow.solve(1, *FLOW, "--steps", "7")["checksum"]
    flow.solve(2, *FLOW, "--steps", "4", "--checkpoint", "state")
    restarted = ("--steps", "7", "--restart", "state")
    expect(flow.solve(3, *FLOW, *restarted)["checksum"] == whole, "bits after a restart")
    expect(flow.solve(2, *FLOW, *restarted, "--pencils", "2x1")["checksum"] == whole,
           "bits after a restart in pencils")

    (flow.folder / "n2.txt").write_text("# z N2\n0 1\n9 1\n")
    (flow.folder / "u.txt").write_text("0 0.1 0\n9 0.1 0\n")
    profiles = ("--stratification", "n2.txt", "--current", "u.txt")
    expect(flow.solve(1, *FLOW[:4], *FLOW[8:], *profiles, "--steps", "7")["checksum"] == whole,
           "profiles in files")

    def refused(path: str, text: str, *options: str) -> None:
        done = flow.run(2, *(options or FLOW), "--restart", path)
        lines = [line for line in done.stderr.splitlines() if "plait-boussinesq: error:" in line]
        expect(done.returncode not in (0, None) and len(lines) == 1 and text in lines[0],
               f"{path}: {text}\n{done.stdout}{done.stderr}")

    state = (flow.folder / "state").read_bytes()
    (flow.folder / "short").write_bytes(state[:-8])
    (flow.folder / "changed").write_bytes(state[:5000] + bytes([state[5000] ^ 1]) + state[5001:])
    (flow.folder / "text").write_text("hello\n")
    refused("short", "truncated")
    refused("changed", "do not match their hash")
    refused("text", "not a checkpoint")
    refused("state", "another grid", "--size", "12x12x12")

    result = flow.solve(2, "--size", "8x32x17", "--length", "4x4x4", "--pair", "2,2,1,6.28,0.3",
                        "--steps", "2", "--output", "flow.raw", "--picture", "flow.ppm",
                        "--spectrum", "--vortices", "--subgrid", "sigma", "--bound")
    expect(len(result["bound_seconds"]) == 3 and result["plane_seconds"] > 0, f"{result}")
    last = result["samples"][-1]
    expect(last["spectrum"] == result["spectrum"] and len(last["spectrum"]) > 2, f"spectra {last}")
    expect(0 < last["transform_seconds"] + last["column_seconds"] <= last["seconds"] * 1.0001,
           f"seconds {last}")
    memory = result["memory"]
    expect(0 < memory["start_resident_bytes"] < memory["largest_resident_bytes"], f"{memory}")
    values = (flow.folder / "flow.raw").read_bytes()
    expect(len(values) == 4 * 8 * 32 * 17 * 8, f"{len(values)} bytes of raw fields")
    expect((flow.folder / "flow.ppm").read_bytes().startswith(b"P6\n32 17\n255\n"), "a picture")
    right, left = result["samples"][0]["vortices"]
    expect(right["circulation"] > 5.5 and left["circulation"] < -5.5 and right["y"] > left["y"],
           f"vortices {right} {left}")
    flow.solve(2, "--size", "8x8x9", "--steps", "0", "--output", "start.raw")
    values = memoryview((flow.folder / "start.raw").read_bytes()).cast("d")
    # Taylor-Green vortices: u = sin x cos y cos z at x = pi / 2, v = -cos x sin y cos z at
    # y = pi / 2.
    field = 8 * 8 * 9
    for place, value in ((2, 1), (2 + 64 * 8, -1), (field + 2 * 8, -1), (2 * field + 5, 0)):
        expect(abs(values[place] - value) < 1e-14, f"value {place}: {values[place]}, not {value}")
    # Slices: red where the field is positive; here, the vorticity along x is -cos x sin y sin z.
    # For each one, a pixel counted from the top and its colour.
    red, blue = bytes((255, 0, 0)), bytes((0, 0, 255))
    for ranks, slice_, extents, pixel, colour in (
            (1, "u,z,0", (8, 8), 7 * 8 + 2, red), (2, "u,y,4", (8, 9), 8 * 8 + 2, blue),
            (2, "v,x,0", (8, 9), 8 * 8 + 2, blue),
            (2, "vorticity,x,0", (8, 9), 4 * 8 + 2, blue)):
        done = flow.run(ranks, "--size", "8x8x9", "--steps", "0", "--picture", "slice.ppm",
                        "--slice", slice_)
        expect(done.returncode == 0, done.stderr)
        picture = (flow.folder / "slice.ppm").read_bytes()
        head = b"P6\n%d %d\n255\n" % extents
        at = len(head) + 3 * pixel
        expect(picture.startswith(head) and picture[at:at + 3] == colour,
               f"slice {slice_}: {picture[:12]} {picture[at:at + 3]}")
    done = flow.run(1, "--size", "8x8x9", "--steps", "1", "--output", "flow.h5")
    if "without HDF5" not in done.stderr:
        expect(done.returncode == 0, done.stdout + done.stderr)
        expect((flow.folder / "flow.h5").read_bytes().startswith(b"\x89HDF"), "an HDF5 file")
        expect("flow.h5:/w" in (flow.folder / "flow.xdmf").read_text(), "an XDMF file")
    fixed = ("--size", "14x15x11", "--initial", "taylor_green,turbulence", "--stratification", "1",
             "--dt", "0.05", "--steps", "4")
    ends = [flow.solve(2, *fixed, "--layout", layout)["samples"][-1]
            for layout in ("modes", "paper")]
    for name in ("kinetic_energy", "potential_energy", "dissipation"):
        expect(abs(ends[0][name] / ends[1][name] - 1) < 1e-10, f"layouts: {name} {ends}")
    expect("transform_seconds" in ends[0] and "transform_seconds" not in ends[1],
           f"times of parts: {ends}")
    expect(ends[1]["divergence"] < 1e-13, f"divergence in the paper's layouts: {ends[1]}")

    done = flow.run(2, *FLOW, "--steps", "2", "--scaling", "--json", "table.json")
    expect(done.returncode == 0 and len(done.stdout.splitlines()) == 3, done.stdout + done.stderr)
    done = flow.run(2, *FLOW, "--steps", "2", "--hybrid", "1x2,2x1")
    expect(done.returncode == 0 and len(done.stdout.splitlines()) == 3, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
