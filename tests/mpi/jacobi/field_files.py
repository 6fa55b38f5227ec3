#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Fields as raw and HDF5 files: the same bytes from every decomposition, readable by every other.
import struct

from run_jacobi import Jacobi, expect

SIZE = ("--size", "17x11x13")
KINDS = ("raw", "h5")


def main() -> None:
    jacobi = Jacobi()
    has_hdf5 = "built without HDF5" not in jacobi.run(
        1, "--size", "4", "--steps", "1", "--output", "probe.h5").stderr
    kinds = KINDS if has_hdf5 else KINDS[:1]
    for kind in kinds:
        first = None
        for ranks in (1, 3, 4):
            name = f"from{ranks}.{kind}"
            run = jacobi.solve(ranks, *SIZE, "--steps", "5", "--output", name)
            data = (jacobi.folder / name).read_bytes()
            first = data if first is None else first
            expect(data == first, f"{name} has the bytes that one rank writes")
        expect(not list(jacobi.folder.glob("*.partial")), "no partial file is left")
        straight = jacobi.solve(2, *SIZE, "--steps", "9")
        for ranks in (1, 2, 6):
            again = jacobi.solve(ranks, *SIZE, "--steps", "4", "--initial", f"from3.{kind}")
            expect(again["checksum"] == straight["checksum"], f"{kind} read on {ranks} ranks")
    raw = (jacobi.folder / "from4.raw").read_bytes()
    cells = struct.unpack(f"={17 * 11 * 13}d", raw)
    total = sum(struct.unpack(f"={17 * 11 * 13}Q", raw)) % 2**64
    expect(f"{total:016x}" == run["checksum"] or len(kinds) > 1, "raw doubles, x fastest")
    expect(all(abs(value) < 3 for value in cells), "values of a bounded solution")

    # A right-hand side from a file equals the same one given as a number.
    constant = struct.pack(f"={len(cells)}d", *[2.5] * len(cells))
    (jacobi.folder / "source.raw").write_bytes(constant)
    given = ("--boundary", "static=1,neumann,static=0:static=2", *SIZE, "--steps", "20", "--check")
    by_number = jacobi.solve(2, *given, "--source", "2.5")
    by_file = jacobi.solve(3, *given, "--source", "source.raw")
    expect(by_number["checksum"] == by_file["checksum"], "sources by number and by file are equal")

    for options, text in (
        (("--initial", "from1.raw", "--size", "5"), "has 19448 bytes"),
        (("--initial", "absent.raw"), "No such file"),
        (("--output", "absent/folder.raw"), "cannot be written"),
    ):
        done = jacobi.run(2, "--steps", "2", *options)
        expect(done.returncode != 0 and done.stderr.count("plait-jacobi: error:") == 1 and
               text in done.stderr, f"{options} is refused: {done.stderr}")
    if not has_hdf5:
        return
    (jacobi.folder / "letter.h5").write_text("a letter\n")
    for name, text in (("letter.h5", "not an HDF5 file"), ("from1.h5", "the dataset 'u' is")):
        done = jacobi.run(2, "--size", "9", "--initial", name)
        expect(done.returncode != 0 and done.stderr.count("plait-jacobi: error:") == 1 and
               text in done.stderr, f"{name} is refused: {done.stderr}")


if __name__ == "__main__":
    main()
