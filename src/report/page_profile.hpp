// SPDX-License-Identifier: BSD-3-Clause
// The profile as the page has it: of many ranks, in bins instead of a row for each.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json.hpp"
#include "report/profile.hpp"

namespace plait::report {

/// Of more ranks, the page has bins. A screen cannot show more bars or rows of a matrix.
inline constexpr int kMostPageBins = 256;

/// Ranks per bin: 1 for up to kMostPageBins ranks, then if possible a divisor of the ranks of the
/// first node.
int ranks_per_bin(const Matrix& matrix);

/// Ranks per bin if there are more than `most` ranks: a divisor of those on the first node if that
/// does not double their number.
std::size_t ranks_per_bin(std::size_t ranks, std::size_t on_first_node, std::size_t most);

/// The JSON of a profile for the page. Of up to kMostPageBins ranks, that of profile.json.
/// Otherwise a row of `ranks` has the mean of several ranks, `last_rank`, and their least and most
/// computation; the matrix has `ranks_per_cell` and adds up their traffic; tables with a row for
/// each rank or thread have those that matter most, which a note says.
nlohmann::json page_profile(const Profile& profile);

}  // namespace plait::report
