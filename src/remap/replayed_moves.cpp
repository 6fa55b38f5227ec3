// SPDX-License-Identifier: BSD-3-Clause
// What plait run --remap would do with a traced run on nodes of another machine.
#include "remap/replayed_moves.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "remap/decider.hpp"
#include "remap/traced_intervals.hpp"

namespace plait::remap {
namespace {

constexpr double kLeastFactor = 0.01;  // keeps intervals above 0

std::vector<Binding> bindings_of(const machine::Topology& topology,
                                 const std::vector<int>& threads) {
  const std::vector<int> cores = topology.allowed_cores();
  const int all = std::accumulate(threads.begin(), threads.end(), 0);
  const bool bound = static_cast<std::size_t>(all) <= cores.size();
  std::vector<Binding> bindings;
  auto next = cores.begin();
  for (const int count : threads) {
    bindings.push_back({bound ? std::vector<int>(next, next + count) : cores, count});
    if (bound) next += count;
  }
  return bindings;
}

/// The interval if it takes `factor` times as long.
Interval scaled(Interval interval, double factor) {
  interval.seconds *= factor;
  for (double& seconds : interval.busy_s) seconds *= factor;
  for (double& seconds : interval.mpi_s) seconds *= factor;
  return interval;
}

Decision decision_of(const Move& move, double at_s, const std::vector<int>& ranks,
                     const Places& places) {
  const auto cores = [&](int place) {
    return machine::format_ids(places.all[static_cast<std::size_t>(place)].cores);
  };
  Decision decision{at_s, false, move, {}};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (move.from[i] == move.to[i]) continue;
    decision.ranks.push_back({ranks[i], cores(move.from[i]), cores(move.to[i])});
  }
  return decision;
}

ReplayedMoves moves_on(const TracedNode& node, const machine::MachineFile& machine,
                       double interval_s) {
  ReplayedMoves result;
  RemapFile& file = result.decisions;
  file.interval_s = interval_s;
  file.ranks = static_cast<int>(node.ranks.size());
  Places places = places_of(machine.topology, bindings_of(machine.topology, node.threads));
  for (const Interval& interval : node.intervals) result.recorded_s += interval.seconds;
  if (!places.refused.empty()) {
    file.stopped = places.refused;
    return result;
  }
  const PlaceCosts costs(machine, places.all);
  const std::vector<int> home = places.now;
  Decider decider(costs, std::move(places));
  double at_s = 0;
  for (const Interval& recorded : node.intervals) {
    const Prediction prediction(costs, recorded, home, home);
    const double saved =
        prediction.time_of(home).slowest_s - prediction.time_of(decider.now()).slowest_s;
    const Interval interval =
        scaled(recorded, std::max(kLeastFactor, 1 - saved / recorded.seconds));
    result.saved_s += saved;
    at_s += interval.seconds;
    if (recorded.seconds < 0.999 * interval_s) break;  // the program ends before it is over
    ++file.intervals;
    const std::optional<Move> move = decider.decide(interval);
    for (std::size_t i = 0; i < file.decisions.size(); ++i) {
      file.decisions[i].move = decider.moves()[i];
    }
    if (!move) continue;
    file.decisions.push_back(decision_of(*move, at_s, node.ranks, decider.places()));
    result.saved_s -= move->cost_s;
  }
  return result;
}

}  // namespace

std::vector<ReplayedMoves> replay_moves(const trace::Trace& trace,
                                        const machine::MachineFile& machine, double interval_s) {
  std::vector<ReplayedMoves> all;
  for (std::uint32_t node = 0; node < trace.nodes.size(); ++node) {
    const TracedNode traced = traced_node(trace, node, interval_s);
    if (traced.ranks.empty()) continue;
    all.push_back(moves_on(traced, machine, interval_s));
    all.back().decisions.host = trace.nodes[node];
  }
  return all;
}

}  // namespace plait::remap
