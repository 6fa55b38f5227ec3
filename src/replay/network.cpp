// SPDX-License-Identifier: BSD-3-Clause
// Networks: the ideal one, a measured machine's, and those written by hand.
#include "replay/network.hpp"

namespace plait::replay {

Network ideal_network(std::uint64_t eager_limit) {
  Network network;
  network.name = "ideal";
  network.within_node.eager_limit = eager_limit;
  network.between_nodes.eager_limit = eager_limit;
  network.shared_cards = false;
  network.progress = Progress::kHardware;
  network.collectives = Collectives::kDependencies;
  return network;
}

}  // namespace plait::replay
