# SPDX-License-Identifier: BSD-3-Clause
# Finds what Plait needs: fmt, CLI11, nlohmann_json, hwloc, zstd. The header libraries come from the
# system or, in a source archive (make dist), from third_party/. Nothing is downloaded.
set(PLAIT_THIRD_PARTY ${PROJECT_SOURCE_DIR}/third_party)
find_package(Threads REQUIRED)
include(PlaitPortable)

# Takes <package> from the system, or as header library <target> from third_party/.
function(plait_header_library package target)
  if(NOT TARGET ${target})
    find_package(${package} QUIET)
  endif()
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
        "or build from the source archive plait-<version>.tar.gz, which contains it.")
  endif()
  message(STATUS "${package}: ${origin}")
endfunction()

plait_header_library(fmt fmt::fmt libfmt-dev)
plait_header_library(CLI11 CLI11::CLI11 libcli11-dev)
plait_header_library(nlohmann_json nlohmann_json::nlohmann_json nlohmann-json3-dev)
if(TARGET plait_bundled_fmt)
  target_compile_definitions(plait_bundled_fmt INTERFACE FMT_HEADER_ONLY=1)
endif()

# Takes library <name> of the system, as PkgConfig::<name>: by pkg-config's <module>, or where there
# is none (a site's library may come without its .pc file in the search path) by <header> and <file>.
find_package(PkgConfig QUIET)
function(plait_system_library name module header file debian)
  if(PKG_CONFIG_FOUND AND NOT TARGET PkgConfig::${name})
    pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
  endif()
  if(TARGET PkgConfig::${name})
    return()
  endif()
  string(TOUPPER ${name} upper)
  find_path(PLAIT_${upper}_INCLUDE ${header})
  find_library(PLAIT_${upper}_LIBRARY ${file})
  if(NOT PLAIT_${upper}_INCLUDE OR NOT PLAIT_${upper}_LIBRARY)
    message(FATAL_ERROR "${name} was not found. Install it (Debian: ${debian}), load the site's "
                        "module, or give -DCMAKE_PREFIX_PATH=<its prefix>.")
  endif()
  add_library(PkgConfig::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(PkgConfig::${name} INTERFACE ${PLAIT_${upper}_INCLUDE})
  target_link_libraries(PkgConfig::${name} INTERFACE ${PLAIT_${upper}_LIBRARY})
endfunction()

plait_system_library(hwloc hwloc hwloc.h hwloc libhwloc-dev)
plait_system_library(zstd libzstd zstd.h zstd libzstd-dev)

# Sets PLAIT_STATIC_ZSTD if a static zstd can become part of the preload objects, which need no library
# but libc. It is PLAIT_ZSTD_ARCHIVE, whose symbols they hide: Debian's is only then independent of its
# position. Without one, they send events uncompressed.
include(CheckCSourceCompiles)
function(plait_find_static_zstd)
  find_library(PLAIT_ZSTD_ARCHIVE libzstd.a HINTS ${zstd_LIBDIR})
  mark_as_advanced(PLAIT_ZSTD_ARCHIVE)
  if(PLAIT_ZSTD_ARCHIVE)
    get_target_property(include PkgConfig::zstd INTERFACE_INCLUDE_DIRECTORIES)
    if(include)
      set(CMAKE_REQUIRED_INCLUDES ${include})
    endif()
    set(CMAKE_REQUIRED_FLAGS -fPIC)
    set(CMAKE_REQUIRED_LINK_OPTIONS -shared -Wl,--exclude-libs,ALL -Wl,-z,defs)
    set(CMAKE_REQUIRED_LIBRARIES ${PLAIT_ZSTD_ARCHIVE})
    check_c_source_compiles(
      "#define ZSTD_STATIC_LINKING_ONLY
       #include <zstd.h>
       ZSTD_CCtx *make(void *to) { return ZSTD_initStaticCCtx(to, ZSTD_estimateCCtxSize(1)); }"
      PLAIT_STATIC_ZSTD)
  endif()
endfunction()
plait_find_static_zstd()
if(NOT PLAIT_STATIC_ZSTD)
  message(STATUS "libzstd.a: none for preload objects, so nodes send events uncompressed "
                 "(Debian: libzstd-dev)")
endif()
