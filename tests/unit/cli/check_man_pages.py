# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages: one per command, which groff or man sets without a warning.

Usage: check_man_pages.py PLAIT FOLDER
"""

import pathlib
import shutil
import subprocess
import sys

PLAIT, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(FOLDER, ignore_errors=True)
subprocess.run([PLAIT, "write-man-pages", str(FOLDER)], check=True)
pages = sorted(FOLDER.glob("*.1"))
if len(pages) != 23 or not (FOLDER / "plait-run.1").exists():
    sys.exit(f"pages: {[page.name for page in pages]}")
text = (FOLDER / "plait-cluster.1").read_text(encoding="utf-8")
for part in (".SH NAME\nplait-cluster \\- ", "PLAIT CLUSTER UP", "\\-\\-cores\\-per\\-node"):
    if part not in text:
        sys.exit(f"plait-cluster.1 has no {part!r}")
if shutil.which("groff") is None:
    sys.exit(0)
for page in pages:
    done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-rLL=78n", str(page)],
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0 or done.stderr or not done.stdout:
        sys.exit(f"{page.name}: {done.stderr}")
