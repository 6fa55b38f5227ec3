// SPDX-License-Identifier: BSD-3-Clause
// Asks the MPI library what a datatype was made from.
#include "preload/calls/envelope.hpp"

#include "preload/calls/functions.hpp"

namespace plait::preload {

bool ask_envelope(MPI_Datatype type, Envelope* into) {
#if !defined(PLAIT_FAMILY_OPENMPI)
  // The other function refuses types that were made with large counts, and ends the program.
  const int code = call_real<kFunction_Type_get_envelope_c>(
      type, &into->integers, &into->addresses, &into->counts, &into->types, &into->combiner);
  if (code != MPI_ERR_UNSUPPORTED_OPERATION) return code == MPI_SUCCESS;
#endif
  int integers = 0, addresses = 0, types = 0;
  if (call_real<kFunction_Type_get_envelope>(type, &integers, &addresses, &types,
                                             &into->combiner) != MPI_SUCCESS)
    return false;
  into->integers = integers;
  into->addresses = addresses;
  into->types = types;
  return true;
}

}  // namespace plait::preload
