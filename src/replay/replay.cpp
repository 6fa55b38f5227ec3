// SPDX-License-Identifier: BSD-3-Clause
// Replays a program on a network (LogGOPS) by discrete-event simulation.
#include "replay/replay.hpp"

#include <algorithm>

#include "replay/engine.hpp"

namespace plait::replay {

ReplayResult replay(Program& program, const Network& network, const ReplayOptions& options) {
  return Engine(program, network, options).run();
}

namespace {

/// The path with all its times multiplied.
Path scaled(Path path, double factor) {
  for (double* const time : {&path.latency_s, &path.overhead_s, &path.gap_s, &path.seconds_per_byte,
                             &path.overhead_per_byte_s}) {
    *time *= factor;
  }
  for (auto& [bytes, seconds] : path.measured) seconds *= factor;
  return path;
}

bool costs_nothing(const Path& path) {
  return path.measured.empty() && path.latency_s + path.overhead_s + path.gap_s <= 0 &&
         path.seconds_per_byte + path.overhead_per_byte_s <= 0;
}

}  // namespace

ReplayInterval replay_with_interval(Program& program, const Network& network) {
  ReplayInterval interval;
  interval.middle = replay(program, network);
  interval.low_s = interval.high_s = interval.middle.time_s;
  const auto also = [&](const Network& variant) {
    const double time = replay(program, variant).time_s;
    interval.low_s = std::min(interval.low_s, time);
    interval.high_s = std::max(interval.high_s, time);
  };
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  if (network.within_node.eager_limit != kAll || network.between_nodes.eager_limit != kAll) {
    Network all_eager = network;
    all_eager.within_node.eager_limit = all_eager.between_nodes.eager_limit = kAll;
    also(all_eager);
  }
  // Sharing and progress make no difference when messages take no time.
  if (costs_nothing(network.within_node) && costs_nothing(network.between_nodes)) return interval;
  Network other_sharing = network;
  other_sharing.sharing = network.sharing == Sharing::fifo ? Sharing::fair : Sharing::fifo;
  also(other_sharing);
  Network other_progress = network;
  other_progress.progress =
      network.progress == Progress::in_call ? Progress::hardware : Progress::in_call;
  also(other_progress);
  const auto with_times = [&](double Path::*factor) {
    const Path& within = network.within_node;
    const Path& between = network.between_nodes;
    if (within.*factor == 1 && between.*factor == 1) return;
    Network variant = network;
    variant.within_node = scaled(within, within.*factor);
    variant.between_nodes = scaled(between, between.*factor);
    also(variant);
  };
  with_times(&Path::fastest);
  with_times(&Path::slowest);
  return interval;
}

}  // namespace plait::replay
