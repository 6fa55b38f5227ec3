// SPDX-License-Identifier: BSD-3-Clause
// The MPI functions that this object puts before the library's: MPI_X and PMPI_X of each.
//
// Both names enter one wrapper, because Fortran layers call either. The wrappers are generated
// (generate_wrappers.cpp) and have C++ names of their own, so that the header's declarations,
// which differ between versions, do not clash with them.
#include "preload/check/check.hpp"
#include "preload/profile/collectives.hpp"
#include "preload/profile/lifecycle.hpp"
#include "preload/profile/traffic.hpp"
#include "preload/trace/calls.hpp"
#include "preload/trace/clock_offset.hpp"
#include "preload/trace/collectives.hpp"
#include "preload/trace/completions.hpp"

#define PLAIT_ENTRY __attribute__((visibility("default")))
#define PLAIT_FREQUENT __attribute__((flatten))
#define PLAIT_CALLER                                        \
  reinterpret_cast<uintptr_t>(__builtin_return_address(0)), \
      reinterpret_cast<uintptr_t>(__builtin_frame_address(0))

using namespace plait::preload;

#include "wrappers.inc"
