// SPDX-License-Identifier: BSD-3-Clause
// Variables with which an MPI library takes Plait's transport.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/environment.hpp"
#include "run/preload_choice.hpp"

namespace plait::run {

/// Variables for a run with --transport. Those that the user has set stay, except that waiting is
/// left to the transport.
/// @param design    of its queues
/// @param abi       of the MPI library; MpiAbi::openmpi
/// @param provider  folder of libplait-fi.so
/// @param value     of a variable of this process; empty: not set
Assignments transport_variables(const std::string& design, MpiAbi abi,
                                const std::filesystem::path& provider,
                                const std::function<std::string(const std::string&)>& value);

}  // namespace plait::run
