// SPDX-License-Identifier: BSD-3-Clause
// The common name of the forms of a collective call.
#pragma once

#include <string>

namespace plait::trace {

/// The name of a collective call without prefix, large-count suffix, and the marks of nonblocking
/// and persistent calls: "Bcast" for "MPI_Ibcast".
std::string blocking_name(const std::string& function);

}  // namespace plait::trace
