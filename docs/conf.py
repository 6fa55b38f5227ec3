# SPDX-License-Identifier: BSD-3-Clause
# Sphinx's configuration for the manual.
import json
import pathlib
import re

root = pathlib.Path(__file__).resolve().parent.parent
project = "Plait"
author = "The Plait authors"
copyright = "2026, The Plait authors"
release = re.search(r"project\(Plait VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
version = release

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["schemas"]
nitpicky = True

html_theme = "furo"
html_title = f"Plait {release}"


def write_hazards(source: pathlib.Path, target: pathlib.Path) -> None:
    """Writes the list of hazards as text, from the file that `plait doctor` reads."""
    lines = []
    for hazard in json.loads(source.read_text())["hazards"]:
        kinds = ", ".join(hazard["mpi"])
        lines += [
            f"### {hazard['id']}",
            "",
            f"{kinds}, versions {hazard['versions']}: {hazard['what']}.",
            "",
            f"- evidence: {hazard['evidence']}",
            f"- remedy: {hazard['remedy']}",
            f"- reproduce: `{hazard['reproducer']}`",
            "",
        ]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines))


write_hazards(next(root.glob("src/*/hazards.json")), root / "build/docs/hazards.md")
