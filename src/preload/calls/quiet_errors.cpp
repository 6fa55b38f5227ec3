// SPDX-License-Identifier: BSD-3-Clause
// Keeps the program's error handlers out of calls that the program did not make.
#include "preload/calls/quiet_errors.hpp"

#include "preload/calls/functions.hpp"
#include "preload/recorder.hpp"

namespace plait::preload {
namespace {

void ignore_error(MPI_Comm*, int*, ...) {}

// MPI_ERRORS_RETURN has different values in libraries of one ABI (abi/standard.hpp).
bool find_handler(MPI_Errhandler* handler) {
  static MPI_Errhandler made;
  static bool is_made;
  if (!is_made)
    is_made = call_real<kFunction_Comm_create_errhandler>(reinterpret_cast<void*>(&ignore_error),
                                                          &made) == MPI_SUCCESS;
  *handler = made;
  return is_made;
}

}  // namespace

QuietErrors::QuietErrors(bool wanted) : own_(), changed_() {
  const bool has_world = record && record->thread_required >= 0;
  MPI_Errhandler quiet;
  if (!wanted || !has_world || record->state != PLAIT_STATE_INITIALIZED || !find_handler(&quiet))
    return;
  const MPI_Comm comms[kComms] = {world_comm(), predefined<kCommSelf>()};
  for (int i = 0; i < kComms; ++i) {
    if (call_real<kFunction_Comm_get_errhandler>(comms[i], &own_[i]) != MPI_SUCCESS) continue;
    changed_[i] = call_real<kFunction_Comm_set_errhandler>(comms[i], quiet) == MPI_SUCCESS;
    if (!changed_[i]) call_real<kFunction_Errhandler_free>(&own_[i]);
  }
}

QuietErrors::~QuietErrors() {
  const MPI_Comm comms[kComms] = {world_comm(), predefined<kCommSelf>()};
  for (int i = 0; i < kComms; ++i) {
    if (!changed_[i]) continue;
    call_real<kFunction_Comm_set_errhandler>(comms[i], own_[i]);
    call_real<kFunction_Errhandler_free>(&own_[i]);
  }
}

}  // namespace plait::preload
