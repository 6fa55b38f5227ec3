// SPDX-License-Identifier: BSD-3-Clause
// Keeps the program's error handlers out of calls that the program did not make.
#pragma once

#include "preload/calls/abi.hpp"

namespace plait::preload {

/// While it exists, an error in a call without a communicator, or with an invalid handle, is only
/// returned: plait check may ask about a handle before MPI has judged it. Does nothing before the
/// end of MPI_Init, nor if `wanted` is false. To be avoided for handles that are valid: MPICH
/// distinguishes a handler that was never set from MPI_ERRORS_ARE_FATAL.
class QuietErrors {
public:
  explicit QuietErrors(bool wanted = true);
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

private:
  static constexpr int kComms = 2;  // libraries use the handler of MPI_COMM_WORLD or MPI_COMM_SELF
  MPI_Errhandler own_[kComms];
  bool changed_[kComms];
};

}  // namespace plait::preload
