// SPDX-License-Identifier: BSD-3-Clause
// Names of functions and call sites in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/symbolize.hpp"

namespace plait::trace {

/// A C++ function without its parameters and template arguments: "solver::step".
std::string short_function(std::string_view function);

/// The innermost frame: "solve (cg.c:120)"; without debug information "solve (app)", without a
/// symbol "app+0x1234", without frames "unknown place".
std::string site_place(const std::vector<Frame>& frames);

}  // namespace plait::trace
