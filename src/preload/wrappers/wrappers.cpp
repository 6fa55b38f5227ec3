// SPDX-License-Identifier: BSD-3-Clause
// The MPI functions that this object defines in place of the library's: MPI_X and PMPI_X of each.
//
// Both names enter one wrapper, because Fortran layers call either. The wrappers are generated
// (generate_wrappers.cpp).
#include "preload/calls/collectives.hpp"
#include "preload/calls/files.hpp"
#include "preload/calls/traffic.hpp"
#include "preload/check/check.hpp"
#include "preload/trace/calls.hpp"
#include "preload/trace/clock_offset.hpp"
#include "preload/trace/collectives.hpp"
#include "preload/trace/completions.hpp"
#include "preload/wrappers/lifecycle.hpp"
#include "preload/wrappers/open_mpi_4.hpp"

#define PLAIT_ENTRY __attribute__((visibility("default")))
#define PLAIT_FREQUENT __attribute__((flatten))
#define PLAIT_SELDOM __attribute__((cold))  // smaller, and compiled faster
#define PLAIT_CALLER                                        \
  reinterpret_cast<uintptr_t>(__builtin_return_address(0)), \
      reinterpret_cast<uintptr_t>(__builtin_frame_address(0))

using namespace plait::preload;

__thread plait_file_record* plait::preload::closing_file __attribute__((tls_model("initial-exec")));

#include "wrappers.inc"
