// SPDX-License-Identifier: BSD-3-Clause
// Discrete-event replay of a program on a network (LogGOPS).
#include "replay/replay.hpp"

#include <algorithm>

#include "replay/engine.hpp"

namespace plait::replay {

ReplayResult replay(Program& program, const Network& network, const ReplayOptions& options) {
  return Engine(program, network, options).run();
}

ReplayInterval replay_with_interval(Program& program, const Network& network) {
  ReplayInterval interval;
  interval.middle = replay(program, network);
  interval.low_s = interval.high_s = interval.middle.time_s;
  const auto also = [&](const Network& variant) {
    const double time = replay(program, variant).time_s;
    interval.low_s = std::min(interval.low_s, time);
    interval.high_s = std::max(interval.high_s, time);
  };
  Network other_sharing = network;
  other_sharing.sharing = network.sharing == Sharing::kFifo ? Sharing::kFair : Sharing::kFifo;
  also(other_sharing);
  Network all_eager = network;
  all_eager.within_node.eager_limit = all_eager.between_nodes.eager_limit = ~std::uint64_t{0};
  also(all_eager);
  Network other_progress = network;
  other_progress.progress =
      network.progress == Progress::kInCall ? Progress::kHardware : Progress::kInCall;
  also(other_progress);
  return interval;
}

}  // namespace plait::replay
