# SPDX-License-Identifier: BSD-3-Clause
# Runs plait-boussinesq, for the tests in this folder.
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jacobi"))
from run_jacobi import Jacobi as Program, expect  # noqa: E402,F401

# A small flow in which every term is at work; all extents are uneven.
FLOW = ("--size", "14x15x11", "--initial", "taylor_green,turbulence", "--stratification", "1",
        "--current", "0.1", "--smooth-every", "2")
