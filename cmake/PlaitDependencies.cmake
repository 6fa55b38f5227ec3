# SPDX-License-Identifier: BSD-3-Clause
# Finds what Plait needs: fmt, CLI11, nlohmann_json, hwloc. The header libraries come from the
# system or, in a source archive (make dist), from third_party/. Nothing is downloaded.
set(PLAIT_THIRD_PARTY ${PROJECT_SOURCE_DIR}/third_party)
find_package(Threads REQUIRED)

# Takes <package> from the system, or as header library <target> from third_party/.
function(plait_header_library package target)
  find_package(${package} QUIET)
  if(TARGET ${target})
    set(origin "${${package}_DIR}")
  elseif(EXISTS ${PLAIT_THIRD_PARTY}/${package}/include)
    add_library(plait_bundled_${package} INTERFACE)
    add_library(${target} ALIAS plait_bundled_${package})
    target_include_directories(plait_bundled_${package} SYSTEM
                               INTERFACE ${PLAIT_THIRD_PARTY}/${package}/include)
    set(origin "${PLAIT_THIRD_PARTY}/${package}")
  else()
    message(
      FATAL_ERROR
        "${package} was not found. Install it (Debian: ${ARGN}), point CMAKE_PREFIX_PATH at it, "
        "or build from the source archive plait-<version>.tar.gz, which carries it.")
  endif()
  message(STATUS "${package}: ${origin}")
endfunction()

plait_header_library(fmt fmt::fmt libfmt-dev)
plait_header_library(CLI11 CLI11::CLI11 libcli11-dev)
plait_header_library(nlohmann_json nlohmann_json::nlohmann_json nlohmann-json3-dev)
if(TARGET plait_bundled_fmt)
  target_compile_definitions(plait_bundled_fmt INTERFACE FMT_HEADER_ONLY=1)
endif()

find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(hwloc QUIET IMPORTED_TARGET hwloc)
endif()
if(NOT TARGET PkgConfig::hwloc)
  # A site's hwloc may come without its .pc file in the search path.
  find_path(PLAIT_HWLOC_INCLUDE hwloc.h)
  find_library(PLAIT_HWLOC_LIBRARY hwloc)
  if(NOT PLAIT_HWLOC_INCLUDE OR NOT PLAIT_HWLOC_LIBRARY)
    message(FATAL_ERROR "hwloc was not found. Install it (Debian: libhwloc-dev), load the site's "
                        "module, or give -DCMAKE_PREFIX_PATH=<its prefix>.")
  endif()
  add_library(PkgConfig::hwloc INTERFACE IMPORTED GLOBAL)
  target_include_directories(PkgConfig::hwloc INTERFACE ${PLAIT_HWLOC_INCLUDE})
  target_link_libraries(PkgConfig::hwloc INTERFACE ${PLAIT_HWLOC_LIBRARY})
endif()
