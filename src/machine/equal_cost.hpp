// SPDX-License-Identifier: BSD-3-Clause
// Sizes at which a message inside a node and one between nodes cost the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/measured.hpp"

namespace plait::machine {

/// A path inside the node, compared with the network.
struct EqualCost {
  std::string path;  ///< its name: "same L3"
  /// From this size on, all measured messages cost no more between nodes; interpolated. Empty: the
  /// longest one costs less inside the node.
  std::optional<double> from_bytes;
  std::uint64_t longest_bytes = 0;  ///< that was measured on both
};

/// Each measured path inside the node; none if no network was measured.
std::vector<EqualCost> equal_costs(const Measured& measured);

/// "Messages from 128 KiB on cost no more between nodes than inside the node (same L3)."
std::string equal_cost_sentence(const EqualCost& cost);

}  // namespace plait::machine
