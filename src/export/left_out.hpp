// SPDX-License-Identifier: BSD-3-Clause
// Sentences about what a replay's program leaves out of its trace.
#pragma once

#include <string>
#include <vector>

#include "replay/program.hpp"

namespace plait::exports {

std::vector<std::string> notes_of(const replay::LeftOut& left_out);

}  // namespace plait::exports
