// SPDX-License-Identifier: BSD-3-Clause
// Names of stack frames and places in messages.
#pragma once

#include <string>
#include <vector>

#include "trace/symbolize.hpp"

namespace plait::trace {

/// A frame without its place: "solve"; of code outside functions of a Python file "app.py"; without
/// a symbol "app+0x1234". Empty if nothing is known.
std::string frame_name(const Frame& frame);

/// The innermost frame: "solve (cg.c:120)"; without debug information "solve (app)", without a
/// symbol "app+0x1234", without frames "unknown place".
std::string site_place(const std::vector<Frame>& frames);

}  // namespace plait::trace
