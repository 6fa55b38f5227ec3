# SPDX-License-Identifier: BSD-3-Clause
# Finds what Plait needs: fmt, CLI11, nlohmann_json, hwloc.
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
