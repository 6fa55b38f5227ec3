// SPDX-License-Identifier: BSD-3-Clause
// Asks MPI how a datatype is laid out.
#include "preload/trace/datatypes.hpp"

#include "preload/calls/envelope.hpp"

namespace plait::preload::trace {

uint32_t ask_derived(MPI_Datatype type) {
  Envelope envelope;
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  MPI_Count size = 0;
  if (!may_be_type(word_of(type)) || !ask_envelope(type, &envelope) ||
      envelope.combiner == MPI_COMBINER_NAMED)
    return 0;
  call_real<kFunction_Type_size_x>(type, &size);
  call_real<kFunction_Type_get_extent>(type, &lower, &extent);
  call_real<kFunction_Type_get_true_extent>(type, &true_lower, &true_extent);
  return size == extent && size == true_extent ? 0 : PLAIT_SHAPE_DERIVED;
}

}  // namespace plait::preload::trace
