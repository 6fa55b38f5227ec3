# SPDX-License-Identifier: BSD-3-Clause
# PLAIT_PORTABLE: programs that need no shared library but glibc's, for `make dist-binary`.
#
# hwloc, fmt, zstd and the C++ run-time library are linked in. What depends on one MPI library or on
# libotf2 is left out: the library libplait.so, plait-jacobi, the examples and plait-otf2. The
# preload objects and the MPI probes need no MPI library and are included.
option(PLAIT_PORTABLE "Link all libraries but glibc into the programs; leave out libplait" OFF)
if(NOT PLAIT_PORTABLE)
  return()
endif()
# Not for programs that only run during the build: their output, and what is compiled from it, stays
# the same when a build is configured again as a portable one.
set(plait_portable_program
    $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>
    $<NOT:$<BOOL:$<TARGET_PROPERTY:PLAIT_BUILD_TOOL>>>)
list(JOIN plait_portable_program "," plait_portable_program)
add_link_options("$<$<AND:${plait_portable_program}>:-static-libstdc++;-static-libgcc>")

# Finds <header> and the static library <file>; the variables PLAIT_<NAME>_INCLUDE and
# PLAIT_<NAME>_ARCHIVE.
function(plait_find_archive name header file)
  string(TOUPPER ${name} upper)
  find_path(PLAIT_${upper}_INCLUDE ${header})
  find_library(PLAIT_${upper}_ARCHIVE ${file})
  mark_as_advanced(PLAIT_${upper}_INCLUDE PLAIT_${upper}_ARCHIVE)
endfunction()

# The target <target> for the static library <file>.
function(plait_static_library target name header file debian)
  string(TOUPPER ${name} upper)
  plait_find_archive(${name} ${header} ${file})
  if(NOT PLAIT_${upper}_INCLUDE OR NOT PLAIT_${upper}_ARCHIVE)
    message(FATAL_ERROR "${file} was not found. PLAIT_PORTABLE links it into the programs: install "
                        "it (Debian: ${debian}), or give -DCMAKE_PREFIX_PATH=<its prefix>.")
  endif()
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${PLAIT_${upper}_ARCHIVE})
  target_include_directories(${target} SYSTEM INTERFACE ${PLAIT_${upper}_INCLUDE})
  message(STATUS "${name}: ${PLAIT_${upper}_ARCHIVE}")
endfunction()

plait_static_library(PkgConfig::zstd zstd zstd.h libzstd.a libzstd-dev)
plait_static_library(PkgConfig::hwloc hwloc hwloc.h libhwloc.a libhwloc-dev)
add_library(plait_udev STATIC ${PROJECT_SOURCE_DIR}/packaging/portable/udev.c)
target_link_libraries(PkgConfig::hwloc INTERFACE plait_udev m ${CMAKE_DL_LIBS} Threads::Threads)

# fmt: its static library, or the functions that its headers define, compiled once for fmt 9 and in
# every source for another version.
plait_find_archive(fmt fmt/core.h libfmt.a)
if(NOT PLAIT_FMT_INCLUDE)
  return() # the source archive's copy, which is used as headers only
endif()
file(STRINGS ${PLAIT_FMT_INCLUDE}/fmt/core.h plait_fmt_version REGEX "define FMT_VERSION 9")
if(PLAIT_FMT_ARCHIVE)
  plait_static_library(fmt::fmt fmt fmt/core.h libfmt.a libfmt-dev)
elseif(plait_fmt_version)
  add_library(plait_fmt STATIC ${PROJECT_SOURCE_DIR}/packaging/portable/fmt.cpp)
  target_include_directories(plait_fmt SYSTEM PUBLIC ${PLAIT_FMT_INCLUDE})
  # As with Debian's fmt, so that a compiler cache serves both. It only sets the visibility.
  target_compile_definitions(plait_fmt PUBLIC FMT_SHARED)
  add_library(fmt::fmt ALIAS plait_fmt)
else()
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
  target_include_directories(fmt::fmt SYSTEM INTERFACE ${PLAIT_FMT_INCLUDE})
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
endif()
