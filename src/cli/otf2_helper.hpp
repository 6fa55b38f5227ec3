// SPDX-License-Identifier: BSD-3-Clause
// Replaces this process by the helper program for OTF2, so that plait itself needs no libotf2.
#pragma once

#include <string>
#include <vector>

namespace plait::cli {

/// Never returns.
/// @param input  what the user asked for, for messages
/// @throws Error when this Plait was built without OTF2.
[[noreturn]] void run_otf2_helper(const std::string& input, std::vector<std::string> arguments,
                                  bool force);

}  // namespace plait::cli
