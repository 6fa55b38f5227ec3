// SPDX-License-Identifier: BSD-3-Clause
// The results of a run as lines for people.
#pragma once

#include <string>

#include "solve.hpp"

namespace plait::jacobi {

/// What ran, how fast, how near to the bound and to the solution.
std::string report(const Result& result);

/// "blocking (automatic)", where automatic has chosen; "comm_thread" where it was asked for.
std::string schedule_text(const Result& result);

}  // namespace plait::jacobi
