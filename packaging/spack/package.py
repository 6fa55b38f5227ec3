# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe of Plait; packaging/README.md says how to use it."""
import os

from spack.package import *

try:  # Spack 1.0 and newer
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class Plait(CMakePackage):
    """Plait measures a machine, shows where an unmodified MPI+OpenMP program loses time, checks how
    its ranks and threads were placed, and includes a library for stencil solvers."""

    # `make dist` writes the source archive. Spack looks for it in the current folder.
    url = "file://{0}/plait-0.1.0.tar.gz".format(os.getcwd())
    manual_download = True

    license("BSD-3-Clause")

    version("0.1.0")

    variant("fortran", default=True, description="Build the Fortran module of the library")
    variant("hdf5", default=False, description="Let plait-jacobi read and write HDF5 files")
    variant("otf2", default=True, description="Read and write OTF2 traces")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hwloc@2:")
    depends_on("zstd")
    depends_on("hdf5~mpi", when="+hdf5")
    depends_on("otf2", when="+otf2")
    # fmt, CLI11 and nlohmann_json are in the source archive.

    generator("ninja")
    conflicts("%gcc@:11", msg="Plait is tested with GCC 12 or newer")

    def cmake_args(self):
        args = [self.define("PLAIT_TESTS", False)]
        for package in ("fmt", "CLI11", "nlohmann_json"):
            args.append(self.define("CMAKE_DISABLE_FIND_PACKAGE_" + package, True))
        if self.spec.satisfies("~hdf5"):
            args.append(self.define("CMAKE_DISABLE_FIND_PACKAGE_HDF5", True))
        if self.spec.satisfies("~otf2"):
            args.append(self.define("PLAIT_OTF2", False))
        if self.spec.satisfies("~fortran"):
            args.append(self.define("CMAKE_Fortran_COMPILER", "NOTFOUND"))
        return args

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.share.plait.python)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_command(self):
        Executable(self.prefix.bin.plait)("--version")
