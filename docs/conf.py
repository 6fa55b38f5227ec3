# SPDX-License-Identifier: BSD-3-Clause
# How Sphinx builds the manual.
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
html_extra_path = []
