// SPDX-License-Identifier: BSD-3-Clause
// Finds what a mistyped name may have meant.
#pragma once

#include <string>
#include <vector>

namespace plait::cli {

/// The known name that is nearest to `text` when letters are added, left out, replaced or swapped
/// with their neighbour; empty when none is near.
std::string suggestion(const std::string& text, const std::vector<std::string>& known);

}  // namespace plait::cli
