// SPDX-License-Identifier: BSD-3-Clause
// Compares packed and spread ranks, and numbers of ranks per package, by their predicted times.
#include "placement/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "machine/equal_cost.hpp"
#include "machine/paths.hpp"
#include "placement/tree.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::placement {
namespace {

using machine::Measured;
using machine::Topology;

/// STREAM copy by number of threads, for the faster kind of stores.
std::map<int, double> stream_by_threads(const Measured& measured) {
  std::map<int, double> result;
  bool any = false;
  for (const machine::StreamResult& stream : measured.stream) {
    if (stream.kernel != "copy") continue;
    any = true;
    if (!stream.gbs.usable()) continue;
    double& best = result[stream.threads];
    best = std::max(best, stream.gbs.median);
  }
  if (result.empty()) {
    throw Error(
        "machine", any ? "no usable figure of STREAM copy" : "STREAM was not measured",
        any ? "measure it again when no other program runs" : "run plait measure on it first");
  }
  return result;
}

/// Bandwidth of k cores side by side, interpolated linearly between measured numbers of threads.
double bandwidth_at(const std::map<int, double>& stream, std::size_t cores) {
  const auto k = static_cast<double>(cores);
  const auto above = stream.lower_bound(static_cast<int>(cores));
  if (above == stream.end()) return stream.rbegin()->second;
  if (above->first == static_cast<int>(cores)) return above->second;
  if (above == stream.begin()) return above->second * k / above->first;
  const auto below = std::prev(above);
  const double part = (k - below->first) / (above->first - below->first);
  return below->second + part * (above->second - below->second);
}

/// The given cores of each group. Groups without any are left out.
std::vector<std::vector<int>> shares_of(const std::vector<std::vector<int>>& groups,
                                        const std::vector<int>& cores) {
  std::vector<std::vector<int>> result;
  std::vector<int> rest = cores;
  for (const std::vector<int>& group : groups) {
    std::vector<int> inside;
    std::vector<int> outside;
    for (const int core : rest) {
      const bool in = std::binary_search(group.begin(), group.end(), core);
      (in ? inside : outside).push_back(core);
    }
    if (!inside.empty()) result.push_back(std::move(inside));
    rest = std::move(outside);
  }
  if (!rest.empty()) result.push_back(std::move(rest));
  return result;
}

/// Groups of cores with their own memory bus: NUMA domains, or packages if there are more of them.
std::vector<std::vector<int>> memories_of(const Topology& node) {
  const auto numa = groups_of(node, {PlaceKind::numa, 0});
  const auto packages = groups_of(node, {PlaceKind::package, 0});
  return packages.size() > numa.size() ? packages : numa;
}

/// The size of the group that holds a core; of the whole node when none does.
std::size_t group_size(const Topology& node, const std::vector<std::vector<int>>& groups,
                       int core) {
  for (const auto& group : groups) {
    if (std::binary_search(group.begin(), group.end(), core)) return group.size();
  }
  return node.allowed_cores().size();
}

/// The time of a message on a path with usable figures.
double curve_s(const machine::Path& path, double bytes) {
  const std::vector<machine::CurvePoint> curve = machine::usable_points(path.mpi_pingpong);
  const auto above = std::find_if(curve.begin(), curve.end(), [&](const auto& point) {
    return static_cast<double>(point.bytes) >= bytes;
  });
  const auto seconds = [](const auto& point) { return point.half_round_trip_us.median * 1e-6; };
  if (above == curve.begin()) return seconds(*above);
  const auto& below = *std::prev(above);
  const auto size = static_cast<double>(below.bytes);
  if (above == curve.end()) return size > 0 ? seconds(below) * bytes / size : seconds(below);
  const double part = (bytes - size) / (static_cast<double>(above->bytes) - size);
  return seconds(below) + part * (seconds(*above) - seconds(below));
}

bool has_curve(const machine::Path& path) {
  return !machine::usable_points(path.mpi_pingpong).empty();
}

const machine::Path* path_named(const Measured& measured, const std::string& id) {
  for (const machine::Path& path : measured.paths) {
    if (path.id == id && has_curve(path)) return &path;
  }
  return nullptr;
}

const machine::Path& network_of(const Measured& measured) {
  const machine::Path* const network = path_named(measured, "network");
  if (network == nullptr) {
    throw Error("machine", "ranks on several nodes send messages, but no network was measured",
                "run plait measure with --nodes or --cluster, or give --machine");
  }
  return *network;
}

/// The cores and the node of each rank.
struct Spots {
  std::vector<std::vector<int>> cores;
  std::vector<int> node;
};

Spots spots_of(const Placement& placement) {
  Spots spots;
  for (const RankSpot& rank : placement.ranks) {
    spots.cores.push_back(rank.cores);
    spots.node.push_back(rank.node);
  }
  return spots;
}

/// Seconds of the rank whose messages take longest. Each message counts at both ends.
double slowest_messages_s(const ProgramProfile& program, const Topology& node,
                          const Measured& measured, const Spots& spots) {
  std::vector<double> busy(spots.cores.size(), 0);
  for (const RankTraffic& traffic : program.traffic) {
    const auto from = static_cast<std::size_t>(traffic.from);
    const auto to = static_cast<std::size_t>(traffic.to);
    if (traffic.messages <= 0 || from == to || std::max(from, to) >= busy.size()) continue;
    const double bytes = traffic.bytes / traffic.messages;
    const double one =
        spots.node[from] == spots.node[to]
            ? message_s(node, measured, spots.cores[from].front(), spots.cores[to].front(), bytes)
            : curve_s(network_of(measured), bytes);
    busy[from] += traffic.messages * one;
    busy[to] += traffic.messages * one;
  }
  return busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
}

/// The lowest bandwidth per rank on any node, times the ranks: nodes wait for each other.
double bandwidth_for_all(const Topology& node, const Measured& measured, const Spots& spots) {
  std::map<int, std::vector<int>> used;
  std::map<int, int> ranks;
  for (std::size_t rank = 0; rank < spots.cores.size(); ++rank) {
    auto& cores = used[spots.node[rank]];
    cores.insert(cores.end(), spots.cores[rank].begin(), spots.cores[rank].end());
    ++ranks[spots.node[rank]];
  }
  double least = HUGE_VAL;
  for (const auto& [number, cores] : used) {
    least = std::min(least, bandwidth_of(node, measured, cores) / ranks[number]);
  }
  return least * static_cast<double>(spots.cores.size());
}

std::string ranks_text(const ProgramProfile& program) {
  return fmt::format("{} x {}", counted(program.ranks, "rank"), counted(program.threads, "thread"));
}

/// ", 2 nodes", where the run had several.
std::string nodes_text(const ProgramProfile& program) {
  return program.nodes > 1 ? fmt::format(", {} nodes", program.nodes) : "";
}

bool is_bound(const ProgramProfile& program) {
  return program.cores.size() == static_cast<std::size_t>(program.ranks);
}

/// Where the ranks of the run were; spread if they were not bound.
Spots spots_in_run(const ProgramProfile& program, const Topology& node) {
  const std::string intent = ranks_text(program) + ", spread" + nodes_text(program);
  Spots seen = spots_of(place_ranks(parse_intent(intent), node, intent));
  if (program.node.size() == static_cast<std::size_t>(program.ranks)) seen.node = program.node;
  if (is_bound(program)) seen.cores = program.cores;
  return seen;
}

class Chooser {
public:
  Chooser(const ProgramProfile& program, const Topology& node, const Measured& measured)
      : program_(program), node_(node), measured_(measured) {
    base_ = ranks_text(program);
    on_nodes_ = nodes_text(program);
    if (!is_bound(program)) {
      choice_.notes.emplace_back(
          "the ranks of the run were not bound; the prediction assumes that the kernel spread "
          "them");
    }
    seen_ = spots_in_run(program, node);
    seen_bandwidth_ = bandwidth_for_all(node, measured, seen_);
    seen_messages_s_ = slowest_messages_s(program, node, measured, seen_);
  }

  PlacementChoice choose() {
    const std::string packed = base_ + ", packed" + on_nodes_;
    const std::string spread = base_ + ", spread" + on_nodes_;
    add(packed);
    add(spread);
    choice_.alike = spots_of(placed(packed)).cores == spots_of(placed(spread)).cores;
    add_packages();
    note_equal_costs();
    choose_best();
    return std::move(choice_);
  }

private:
  [[nodiscard]] Placement placed(const std::string& intent) const {
    return place_ranks(parse_intent(intent), node_, intent);
  }

  [[nodiscard]] double time_s(const PlacementAlternative& one, double memory_bound) const {
    const double slower = seen_bandwidth_ / one.bandwidth_gbs;
    const double mpi_s = std::max(0.0, program_.mpi_s + one.messages_s - seen_messages_s_);
    return program_.compute_s * (1 - memory_bound + memory_bound * slower) + mpi_s;
  }

  void add(const std::string& intent) {
    const Placement placement = placed(intent);
    const Spots spots = spots_of(placement);
    PlacementAlternative one;
    one.intent = intent;
    one.nodes = placement.nodes;
    one.bandwidth_gbs = bandwidth_for_all(node_, measured_, spots);
    one.messages_s = slowest_messages_s(program_, node_, measured_, spots);
    one.low_s = time_s(one, 0);
    one.high_s = time_s(one, 1);
    constexpr double kUnknownShare = 0.5;
    one.seconds = time_s(one, program_.memory_bound.value_or(kUnknownShare));
    choice_.alternatives.push_back(std::move(one));
  }

  /// 1, 2, 4 ... ranks per package, on as many nodes as that takes.
  void add_packages() {
    const auto packages = groups_of(node_, {PlaceKind::package, 0});
    if (packages.empty()) return;
    const int room = static_cast<int>(packages.front().size()) / program_.threads;
    const bool network = path_named(measured_, "network") != nullptr;
    bool left_out = false;
    for (int per = 1; per <= std::min(room, program_.ranks); per *= 2) {
      const int here = per * static_cast<int>(packages.size());
      const int nodes = (program_.ranks + here - 1) / here;
      if (nodes > 1 && !network) {
        left_out = true;
        continue;
      }
      add(fmt::format("{}, {} per package{}", base_, per,
                      nodes > 1 ? fmt::format(", {} nodes", nodes) : ""));
    }
    if (left_out) {
      choice_.notes.emplace_back(
          "placements with fewer ranks per package are left out: they need more nodes, and no "
          "network was measured");
    }
  }

  /// From which size on it does not matter to a message whether its ranks share a node.
  void note_equal_costs() {
    const bool fewer =
        std::any_of(choice_.alternatives.begin(), choice_.alternatives.end(),
                    [&](const PlacementAlternative& one) { return one.nodes != program_.nodes; });
    if (!fewer) return;
    for (const machine::EqualCost& cost : machine::equal_costs(measured_)) {
      choice_.notes.push_back(machine::equal_cost_sentence(cost));
    }
  }

  void choose_best() {
    const auto& packed = choice_.alternatives[0];
    const auto& spread = choice_.alternatives[1];
    choice_.best = spread.seconds < packed.seconds ? 1 : 0;
    const double at_none = spread.low_s - packed.low_s;
    const double at_all = spread.high_s - packed.high_s;
    if ((at_none > 0) != (at_all > 0) && at_none != at_all) {
      choice_.break_even = at_none / (at_none - at_all);
    }
  }

  const ProgramProfile& program_;
  const Topology& node_;
  const Measured& measured_;
  std::string base_;
  std::string on_nodes_;  ///< ", 2 nodes", where the run had several
  PlacementChoice choice_;
  Spots seen_;
  double seen_bandwidth_ = 0;
  double seen_messages_s_ = 0;
};

}  // namespace

double bandwidth_of(const Topology& node, const Measured& measured, const std::vector<int>& cores) {
  const auto stream = stream_by_threads(measured);
  const Place cache{PlaceKind::cache, 0};
  double sum = 0;
  const auto memories = memories_of(node);
  for (const auto& memory : shares_of(memories, cores)) {
    double here = 0;
    for (const auto& shared : shares_of(groups_of(node, cache), memory)) {
      here += bandwidth_at(stream, shared.size());
    }
    const std::size_t all = group_size(node, memories, memory.front());
    sum += std::min(here, bandwidth_at(stream, all));
  }
  return std::min(sum, bandwidth_at(stream, node.allowed_cores().size()));
}

double message_s(const Topology& node, const Measured& measured, int core_a, int core_b,
                 double bytes) {
  const std::string id = core_a == core_b ? "smt" : machine::path_between(node, core_a, core_b).id;
  const machine::Path* path = path_named(measured, id);
  // An unmeasured path counts as the farthest measured path inside the node: paths are ordered from
  // the nearest on.
  for (auto other = measured.paths.rbegin(); path == nullptr && other != measured.paths.rend();
       ++other) {
    if (other->id != "network" && has_curve(*other)) path = &*other;
  }
  if (path == nullptr) {
    throw Error("machine", "no messages inside the node were measured",
                "run plait measure on it first");
  }
  return curve_s(*path, bytes);
}

std::vector<ComputePoint> compute_points(const ProgramProfile& program, const Topology& node,
                                         const Measured& measured) {
  const Spots spots = spots_in_run(program, node);
  const auto memories = memories_of(node);
  struct Group {
    std::vector<int> cores;
    double compute_s = 0;
    int ranks = 0;
  };
  std::map<std::pair<int, std::size_t>, Group> groups;  // by node and the memory of the first core
  for (std::size_t rank = 0; rank < program.compute_of_rank_s.size(); ++rank) {
    const std::vector<int>& cores = spots.cores[rank];
    const auto memory = std::find_if(memories.begin(), memories.end(), [&](const auto& one) {
      return std::binary_search(one.begin(), one.end(), cores.front());
    });
    Group& group = groups[{spots.node[rank], static_cast<std::size_t>(memory - memories.begin())}];
    group.cores.insert(group.cores.end(), cores.begin(), cores.end());
    group.compute_s += program.compute_of_rank_s[rank];
    ++group.ranks;
  }
  std::vector<ComputePoint> points;
  for (const auto& [place, group] : groups) {
    points.push_back({bandwidth_of(node, measured, group.cores) / group.ranks,
                      group.compute_s / group.ranks, static_cast<double>(group.ranks)});
  }
  return points;
}

double bandwidth_per_rank(const ProgramProfile& program, const Topology& node,
                          const Measured& measured) {
  return bandwidth_for_all(node, measured, spots_in_run(program, node)) / program.ranks;
}

PlacementChoice choose_placement(const ProgramProfile& program, const Topology& node,
                                 const Measured& measured) {
  return Chooser(program, node, measured).choose();
}

}  // namespace plait::placement
