// SPDX-License-Identifier: BSD-3-Clause
// Plait's own ways to pass messages and to wait for them: what a program is started with.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "run/preload_choice.hpp"

namespace plait::run {

/// --wait and --transport of plait run.
struct MessageWays {
  std::string wait;  ///< spin, pause, yield, sleep or automatic; empty: as the MPI library does
  std::string transport;  ///< queue design of Plait's transport; empty: the MPI library's own

  [[nodiscard]] bool empty() const { return wait.empty() && transport.empty(); }
};

/// The policies that MessageWays::wait may name.
const std::vector<std::string>& wait_policies();

/// @param value  of a variable of the job; empty: not set
/// @throws Error when the transport was not built, or the user has chosen another way.
void check_message_ways(const MessageWays& ways,
                        const std::function<std::string(const std::string&)>& value);

/// The preload objects that a program needs for them, beside that of MPI.
/// @throws Failure when one is missing.
std::vector<std::filesystem::path> message_objects(const MessageWays& ways, MpiAbi abi);

/// The variables that a program needs for them. It must be recorded: its ranks meet in the folder
/// of the records.
/// @param value  as check_message_ways() takes it
Assignments message_variables(const MessageWays& ways, MpiAbi abi,
                              const std::function<std::string(const std::string&)>& value);

}  // namespace plait::run
