# SPDX-License-Identifier: BSD-3-Clause
"""LAMMPS' benchmark of Lennard-Jones atoms, as a program that Plait observes."""
import pathlib
import shutil

INPUT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 16 0 16 0 16
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
run {steps}
"""


def lammps(folder, steps):
    """The command, whose input is written to the folder; None: LAMMPS is not installed."""
    if not shutil.which("lmp"):
        return None
    path = pathlib.Path(folder).resolve() / "in.lj"
    path.write_text(INPUT.format(steps=steps), encoding="utf-8")
    return [shutil.which("lmp"), "-in", str(path), "-log", "none"]
