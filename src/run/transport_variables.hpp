// SPDX-License-Identifier: BSD-3-Clause
// Variables with which an MPI library takes Plait's transport.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/environment.hpp"

namespace plait::run {

/// Variables for a run with --transport, for all MPI libraries: each ignores those of the others.
/// Those that the user has set stay, except that waiting is left to the transport. If the ranks
/// cannot use the transport, they take back the others before MPI is initialized.
/// @param design   of its queues
/// @param folder   of libplait-fi.so
/// @param waits    PLAIT_WAIT is to be set, so that MPI libraries yield no CPU by themselves
/// @param value    of a variable of this process; empty: not set
Assignments transport_variables(const std::string& design, const std::filesystem::path& folder,
                                bool waits,
                                const std::function<std::string(const std::string&)>& value);

/// The provider of libfabric.
std::filesystem::path transport_object(const std::filesystem::path& folder);

}  // namespace plait::run
