// SPDX-License-Identifier: BSD-3-Clause
// The settings of MPI-IO that can matter to a program.
#pragma once

#include <vector>

#include "tune/candidates.hpp"

namespace plait::tune {

/// Under Open MPI the component of collective accesses and its buffer, and ROMIO in place of OMPIO;
/// wherever there is ROMIO, its hints. Values may be illegal.
std::vector<Candidate> file_candidates(const MessageUse& use, const Registry& registry);

}  // namespace plait::tune
