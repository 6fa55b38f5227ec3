// SPDX-License-Identifier: BSD-3-Clause
// Variables with which an MPI library takes Plait's transport.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/environment.hpp"

namespace plait::run {

/// @throws Error if the user has chosen another way of the messages. Half a choice of each would
/// make an MPI library take a third way, such as TCP inside a node.
/// @param value  of a variable of this process; empty: not set
void check_transport_variables(const std::function<std::string(const std::string&)>& value);

/// Variables for a run with --transport, for all MPI libraries: each ignores those of the others.
/// If the ranks cannot use the transport, they take them back before MPI is initialized: that is
/// what the last variable lists, as [!]NAME=VALUE[=VALUE BEFORE], separated by commas, with %, =
/// and commas inside as %XX. "!": if the launcher gives this variable another value, the ranks
/// refuse.
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
