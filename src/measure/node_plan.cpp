// SPDX-License-Identifier: BSD-3-Clause
// Plans the steps of the probe on several nodes.
#include "measure/node_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "measure/path_jobs.hpp"
#include "measure/sizes.hpp"
#include "text/counted.hpp"

namespace plait::measure {
namespace {

/// Two sizes that most libraries send eagerly on most paths, and two that they do not.
const std::vector<std::uint64_t> kOverlapSizes{2048, 16384, 262144, 1048576};
const std::vector<std::uint64_t> kEagerSizes{1024,  2048,  4096,   8192,   16384,
                                             32768, 65536, 131072, 262144, 1048576};
/// A fixed message inside the node, and messages between nodes of about the same duration on
/// networks from 1 to 100 Gbit/s.
struct MixedSizes {
  std::uint64_t inside;
  std::vector<std::uint64_t> between;
};
const std::vector<MixedSizes> kMixedSizes{{524288, {8192, 16384, 32768, 65536}},
                                          {8388608, {262144, 524288, 1048576, 4194304}}};
/// Stengel 2010, figures 3.5 and 3.6: "buffer size is 80 MB"; "cross-node buffer grows from 80
/// kilobyte to several hundred megabytes".
const std::vector<std::uint64_t> kFigureOverlapSizes{800'000, 8'000'000, 80'000'000};
const MixedSizes kFigureMixedSizes{80'000'000,
                                   {80'000, 800'000, 4'000'000, 8'000'000, 16'000'000, 32'000'000,
                                    80'000'000, 160'000'000, 320'000'000}};
const std::vector<std::uint64_t> kAllToAllSizes{8, 1024, 16384, 262144};
/// Pairs of nodes that are measured one by one.
constexpr std::size_t kNodePairs = 3;
constexpr std::size_t kMostTogether = 64;

/// The places of the three ranks on the first node that send messages inside it and to the second
/// one, under one condition.
struct MixedRanks {
  std::string rank0;
  std::array<int, 2> inside{};  ///< sender and receiver
  int between = 0;              ///< sender of the other message
  bool across_sockets = false;
};

/// The condition of these places; empty if one place would have to receive and send.
std::string part_of_rank0(const std::array<int, 2>& inside, int between) {
  if (inside[0] == between) {
    return between == 0 ? "both" : inside[1] == 0 ? "inside" : "none";
  }
  if (inside[0] == 0 || inside[1] == 0) return "inside";
  return between == 0 ? "between" : "none";
}

/// One choice for each number of senders and each part of rank 0 that the node has ranks for,
/// across sockets where possible.
std::vector<MixedRanks> mixed_ranks(const NodePlace& node, int per_node) {
  const auto package = [&](int place) {
    return node.cores[static_cast<std::size_t>(place) % node.cores.size()].package;
  };
  // The first places of each package are enough.
  std::vector<int> places;
  std::map<int, int> of_package;
  for (int place = 0; place < per_node; ++place) {
    if (of_package[package(place)]++ < 4) places.push_back(place);
  }
  std::map<std::pair<bool, std::string>, MixedRanks> found;
  for (const int from : places) {
    for (const int to : places) {
      for (const int between : places) {
        if (from == to || between == to) continue;
        MixedRanks ranks{
            part_of_rank0({from, to}, between), {from, to}, between, package(from) != package(to)};
        const auto [known, first] = found.try_emplace({from == between, ranks.rank0}, ranks);
        if (!first && ranks.across_sockets && !known->second.across_sockets) known->second = ranks;
      }
    }
  }
  std::vector<MixedRanks> all;
  for (const auto& [condition, ranks] : found) all.push_back(ranks);
  return all;
}

/// Collects steps with weights, from which finish() computes their seconds.
class Planner {
public:
  Planner(const std::vector<NodePlace>& nodes, const NodePlanRequest& request)
      : nodes_(nodes), request_(request) {
    std::size_t least = nodes.front().cores.size();
    for (const NodePlace& node : nodes) least = std::min(least, node.cores.size());
    plan_.per_node = request.per_node > 0 ? request.per_node : static_cast<int>(least);
    plan_.probe.libraries = request.libraries;
    plan_.probe.seed = kSeed;
    plan_.probe.relative_width = request.rounds.relative_width;
    plan_.probe.max_rounds = request.rounds.max_rounds;
    plan_.probe.off_cache_bytes = request.off_cache_bytes;
    for (const NodePlace& node : nodes) {
      for (int i = 0; i < plan_.per_node; ++i) {
        const std::size_t core = static_cast<std::size_t>(i) % node.cores.size();
        plan_.probe.pus.push_back(node.cores[core].pu);
        plan_.probe.hosts.push_back(node.name);
      }
    }
    if (static_cast<std::size_t>(plan_.per_node) > least) {
      plan_.notes.push_back(fmt::format(
          "{} ranks per node share {}, so results with several ranks per node are too slow",
          plan_.per_node, counted(least, "core")));
    }
  }

  NodePlan finish() {
    double weights = 0;
    for (const ProbeStep& step : plan_.probe.steps) weights += step.seconds;
    for (ProbeStep& step : plan_.probe.steps) step.seconds *= request_.seconds / weights;
    return std::move(plan_);
  }

  void between_nodes() {
    if (nodes_.size() < 2) return;
    const auto pairs = node_pairs();
    for (const RankPair& pair : pairs) {
      plan_.node_pairs.push_back({pair.leader / plan_.per_node, pair.follower / plan_.per_node});
    }
    const double share = 1.0 / static_cast<double>(pairs.size());
    for (const auto& [kind, weight] :
         {std::pair{StepKind::pingpong, 3.0}, std::pair{StepKind::pingping, 1.5}}) {
      for (const RankPair& pair : pairs) add({kind, weight * share, {pair}}, on_path(kNetworkPath));
    }
    add({StepKind::overhead, 0.7, {pairs.front()}}, on_path(kNetworkPath));
    add({StepKind::back_to_back, 0.7, {pairs.front()}}, on_path(kNetworkPath));
    const int most = std::min<int>(plan_.per_node, kMostTogether);
    const std::vector<int> counts = pair_counts(most);
    for (const StepKind kind : {StepKind::multi_pair, StepKind::multi_pair_pingping}) {
      for (const int count : counts) {
        ProbeStep step{kind, 0.7 / static_cast<double>(counts.size()), {}};
        for (int i = 0; i < count; ++i) step.pairs.push_back({rank(0, i), rank(1, i)});
        NodeStep what = on_path(kNetworkPath);
        what.pairs = count;
        add(step, what);
      }
    }
  }

  void overlap(const std::vector<std::string>& works, const std::vector<std::uint64_t>& sizes) {
    const auto on = [&](const std::string& path, const RankPair& pair) {
      ProbeStep eager{StepKind::eager, 0.2, {pair}};
      eager.sizes = kEagerSizes;
      add(eager, on_path(path));
      for (const char* operation : {"isend", "irecv"}) {
        for (const std::string& work : works) {
          ProbeStep step{StepKind::overlap, 0.6, {pair}};
          step.what = fmt::format("{}-{}", operation, work);
          step.sizes = sizes;
          add(step, on_path(path));
        }
      }
    };
    if (nodes_.size() > 1) on(kNetworkPath, {rank(0, 0), rank(1, 0)});
    if (plan_.per_node > 1) on(request_.node_path, {rank(0, 0), rank(0, 1)});
  }

  /// Which sizes are eager between nodes, without the overlap probe.
  void eager(const std::vector<std::uint64_t>& sizes) {
    ProbeStep step{StepKind::eager, 0.2, {{rank(0, 0), rank(1, 0)}}};
    step.sizes = sizes;
    add(step, on_path(kNetworkPath));
  }

  /// The conditions of Stengel 2010, section 3.3: one sender or two; rank 0 takes part or not. The
  /// protocol depends on the size.
  void mixed(const std::vector<MixedSizes>& all_sizes) {
    if (nodes_.size() < 2) return;
    if (plan_.per_node < 2) {
      plan_.notes.emplace_back(
          "messages inside a node at the same time as messages between nodes were not measured: "
          "that needs two ranks per node");
      return;
    }
    if (plan_.per_node < 3) {
      plan_.notes.emplace_back(
          "messages inside a node and between nodes with two senders were not measured: that needs "
          "three ranks per node");
    }
    for (const MixedRanks& ranks : mixed_ranks(nodes_.front(), plan_.per_node)) {
      for (const MixedSizes& sizes : all_sizes) {
        ProbeStep step{StepKind::mixed, 0.3, {}};
        step.pairs = {{rank(0, ranks.inside[0]), rank(0, ranks.inside[1])},
                      {rank(0, ranks.between), rank(1, 0)}};
        step.inside_bytes = sizes.inside;
        step.sizes = sizes.between;
        NodeStep what = on_path(kNetworkPath);
        what.rank0 = ranks.rank0;
        what.across_sockets = ranks.across_sockets;
        add(step, what);
      }
    }
  }

  void collectives() {
    const auto nodes = static_cast<int>(nodes_.size());
    for (const int per_node : pair_counts(plan_.per_node)) {
      for (const char* what : {"barrier", "bcast", "reduce", "allreduce", "allgather"}) {
        add_collective(what, nodes, per_node, Filling::packed, {});
      }
    }
  }

  void all_to_all() {
    for (const int nodes : pair_counts(static_cast<int>(nodes_.size()))) {
      for (const int per_node : pair_counts(plan_.per_node)) {
        add_collective("alltoall", nodes, per_node, Filling::packed, kAllToAllSizes);
        if (!same_cores(per_node)) {
          add_collective("alltoall", nodes, per_node, Filling::spread, kAllToAllSizes);
        }
      }
    }
  }

private:
  [[nodiscard]] int rank(std::size_t node, int place) const {
    return static_cast<int>(node) * plan_.per_node + place;
  }

  static NodeStep on_path(const std::string& path) {
    NodeStep what;
    what.path = path;
    return what;
  }

  void add(const ProbeStep& step, const NodeStep& what) {
    plan_.probe.steps.push_back(step);
    plan_.steps.push_back(what);
  }

  /// Pairs of ranks on neighbouring nodes, on both end nodes, and on the middle and the last node.
  [[nodiscard]] std::vector<RankPair> node_pairs() const {
    const std::size_t last = nodes_.size() - 1;
    std::vector<RankPair> pairs;
    for (const auto& [a, b] :
         {std::pair<std::size_t, std::size_t>{0, 1}, std::pair<std::size_t, std::size_t>{0, last},
          std::pair<std::size_t, std::size_t>{last / 2, last}}) {
      const RankPair pair{rank(a, 0), rank(b, 0)};
      if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
    }
    pairs.resize(std::min(pairs.size(), kNodePairs));
    return pairs;
  }

  /// The places of `per_node` ranks in a node; with more ranks than cores there is only one way.
  [[nodiscard]] std::vector<int> places(int per_node, Filling filling) const {
    if (static_cast<std::size_t>(plan_.per_node) <= nodes_.front().cores.size()) {
      return fill(nodes_.front(), per_node, filling);
    }
    std::vector<int> places;
    for (int i = 0; i < per_node; ++i) places.push_back(i);
    return places;
  }

  /// True when this number of ranks uses the same cores packed and spread.
  [[nodiscard]] bool same_cores(int per_node) const {
    std::vector<int> spread = places(per_node, Filling::spread);
    std::sort(spread.begin(), spread.end());
    return spread == places(per_node, Filling::packed);
  }

  void add_collective(const char* operation, int nodes, int per_node, Filling filling,
                      const std::vector<std::uint64_t>& sizes) {
    if (nodes * per_node < 2) return;
    const std::vector<int> in_node = places(per_node, filling);
    ProbeStep step{StepKind::collective, 0.15, {}};
    step.what = operation;
    step.sizes = sizes;
    for (int node = 0; node < nodes; ++node) {
      for (const int place : in_node) {
        step.ranks.push_back(rank(static_cast<std::size_t>(node), place));
      }
    }
    NodeStep what;
    what.nodes = nodes;
    what.per_node = per_node;
    what.placement = filling == Filling::packed ? "packed" : "spread";
    const bool all_on_cores =
        static_cast<std::size_t>(plan_.per_node) <= nodes_.front().cores.size();
    what.per_socket = all_on_cores ? most_on_a_package(nodes_.front(), in_node) : per_node;
    add(step, what);
  }

  const std::vector<NodePlace>& nodes_;
  const NodePlanRequest& request_;
  NodePlan plan_;
};

}  // namespace

NodePlan plan_nodes(const std::vector<NodePlace>& nodes, const NodePlanRequest& request) {
  Planner planner(nodes, request);
  // The most important steps come first, because the run may end early.
  planner.between_nodes();
  planner.overlap({"compute", "memory"}, kOverlapSizes);
  planner.mixed(kMixedSizes);
  planner.all_to_all();
  planner.collectives();
  return planner.finish();
}

NodePlan plan_figure(const std::vector<NodePlace>& nodes, const NodePlanRequest& request,
                     PlanFigure figure) {
  Planner planner(nodes, request);
  if (figure == PlanFigure::overlap) {
    planner.overlap({"compute", "memory"}, kFigureOverlapSizes);
  } else if (nodes.size() > 1) {
    planner.eager(kFigureMixedSizes.between);
    planner.mixed({kFigureMixedSizes});
  }
  return planner.finish();
}

NodePlan plan_setting(const std::vector<NodePlace>& nodes, const NodePlanRequest& request,
                      bool poll) {
  Planner planner(nodes, request);
  planner.overlap({"compute"}, kOverlapSizes);
  NodePlan plan = planner.finish();
  plan.probe.poll = poll;
  return plan;
}

ProbePlan plan_look(std::size_t nodes, const std::vector<std::string>& libraries, double limit_s) {
  ProbePlan plan;
  plan.libraries = libraries;
  plan.pus.assign(nodes, -1);
  plan.limit_s = limit_s;
  return plan;
}

}  // namespace plait::measure
