// SPDX-License-Identifier: BSD-3-Clause
// Lists of ranks in messages.
#pragma once

#include <string>
#include <vector>

namespace plait {

/// "rank 3", "ranks 1 and 2", "ranks 1, 2, 5 and 7 more". At least one rank, in the order to print.
std::string name_ranks(const std::vector<int>& ranks);

}  // namespace plait
