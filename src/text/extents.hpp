// SPDX-License-Identifier: BSD-3-Clause
// The extents of a grid or a block: "120x120x60".
#pragma once

#include <string>

namespace plait {

/// The numbers of a range with an x between them.
template <typename Range>
std::string format_extents(const Range& extents) {
  std::string text;
  for (const auto one : extents) text += (text.empty() ? "" : "x") + std::to_string(one);
  return text;
}

}  // namespace plait
