// SPDX-License-Identifier: BSD-3-Clause
// Asks the MPI library what a datatype was made from.
#pragma once

#include "preload/calls/abi.hpp"

namespace plait::preload {

/// How many arguments of each kind a datatype was made from (MPI-4.1, section 5.1.13).
struct Envelope {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = MPI_COMBINER_NAMED;

  /// Is it predefined?
  [[nodiscard]] bool is_named() const {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
  }
};

/// False: the library does not know the type. A local call.
bool ask_envelope(MPI_Datatype type, Envelope* into);

}  // namespace plait::preload
