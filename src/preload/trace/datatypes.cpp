// SPDX-License-Identifier: BSD-3-Clause
// Asks MPI how a datatype is laid out.
#include "preload/trace/datatypes.hpp"

namespace plait::preload::trace {

uint32_t ask_derived(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  MPI_Count size = 0;
  if (type == no_type()) return 0;
  if (call_real<kFunction_Type_get_envelope>(type, &integers, &addresses, &types, &combiner) !=
          MPI_SUCCESS ||
      combiner == MPI_COMBINER_NAMED)
    return 0;
  call_real<kFunction_Type_size_x>(type, &size);
  call_real<kFunction_Type_get_extent>(type, &lower, &extent);
  call_real<kFunction_Type_get_true_extent>(type, &true_lower, &true_extent);
  return size == extent && size == true_extent ? 0 : PLAIT_SHAPE_DERIVED;
}

}  // namespace plait::preload::trace
