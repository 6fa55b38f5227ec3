// SPDX-License-Identifier: BSD-3-Clause
// The choice of a mapping for tasks with known best figures, compared with others, and its time.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>

#include "base/statistics.hpp"
#include "mapping/mapping.hpp"
#include "mapping/search/map_processes.hpp"
#include "nodecart.hpp"
#include "peers.hpp"
#include "tasks.hpp"

namespace {

using plait::bench::MappingTask;
using plait::mapping::MappingRequest;
using plait::mapping::MappingResult;
using plait::mapping::Score;

constexpr int kRepetitions = 5;

/// Cut and busiest node of a partition, and the number of processes that exceed the capacities.
struct Figures {
  double cut = 0;
  double busiest = 0;
  int over = 0;
};

std::vector<int> capacities(const MappingRequest& request) {
  std::map<int, int> slots;
  for (int slot = 0; slot < request.slots.size(); ++slot) ++slots[request.slots.node_of(slot)];
  std::vector<int> result;
  for (const auto& [node, number] : slots) result.push_back(number);
  return result;
}

Figures figures(const MappingRequest& request, const std::vector<int>& node_of) {
  Figures result;
  std::vector<int> room = capacities(request);
  std::vector<double> load(room.size(), 0);
  const plait::mapping::Graph& graph = request.graph;
  for (std::size_t p = 0; p < node_of.size(); ++p) {
    const auto own = static_cast<std::size_t>(node_of[p]);
    if (--room[own] < 0) ++result.over;
    for (auto i = static_cast<std::size_t>(graph.first[p]);
         i < static_cast<std::size_t>(graph.first[p + 1]); ++i) {
      if (node_of[static_cast<std::size_t>(graph.to[i])] != node_of[p]) load[own] += graph.bytes[i];
    }
  }
  for (const double bytes : load) result.cut += bytes / 2;
  result.busiest = *std::max_element(load.begin(), load.end());
  return result;
}

std::string text(const Figures& figure) {
  std::string result = fmt::format("{:.0f}/{:.0f}", figure.cut, figure.busiest);
  if (figure.over > 0) result += fmt::format("!{}", figure.over);
  return result;
}

/// Median CPU time of a choice, and its result, which is always the same.
struct Timed {
  MappingResult result;
  double seconds = 0;
};

Timed timed(const MappingRequest& request, int repetitions) {
  Timed timed;
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    // CPU time, so that other processes do not count.
    const std::clock_t begin = std::clock();
    timed.result = plait::mapping::map_processes(request);
    seconds.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  timed.seconds = plait::median(seconds);
  return timed;
}

bool legal(const MappingResult& result) {
  return std::set<int>(result.slot_of.begin(), result.slot_of.end()).size() ==
         result.slot_of.size();
}

/// The data for the row of one task and for the summary.
class Bench {
public:
  /// A task on nodes: one line with all partitioners, then their times.
  void nodes(MappingTask task, bool target_from_peers = false) {
    const MappingRequest& request = task.request;
    const Timed ours = timed(request, kRepetitions);
    const auto peers = plait::bench::run_peers(request.graph, capacities(request), missing_);
    std::vector<std::string> cells{
        fmt::format("{:.0f}/{:.0f}", ours.result.before.cut, ours.result.before.busiest_node),
        nodecart(request)};
    std::vector<std::string> times;
    for (const char* name : {"METIS", "KaHIP", "Scotch"}) {
      const auto found = peers.find(name);
      if (found == peers.end()) {
        cells.emplace_back("-");
        times.emplace_back("-");
        continue;
      }
      const Figures figure = figures(request, found->second.node_of);
      cells.push_back(text(figure));
      times.push_back(fmt::format("{:.1f}", found->second.seconds * 1e3));
      const bool better = task.cut < 0 || figure.cut < task.cut ||
                          (figure.cut == task.cut && figure.busiest < task.busiest);
      if (target_from_peers && figure.over == 0 && better) {
        task.cut = figure.cut;
        task.busiest = figure.busiest;
      }
    }
    const Score& after = ours.result.after;
    const bool met = legal(ours.result) && reached(task, after);
    if (task.cut >= 0) count(met);
    fmt::print("{:<21}", task.name);
    for (const std::string& cell : cells) fmt::print("{:>11}", cell);
    fmt::print("\n{:<21}{:>22}", "", "ms");
    for (const std::string& time : times) fmt::print("{:>11}", time);
    const std::string target =
        task.cut < 0 ? "no peer"
                     : fmt::format("{:.0f}{}", task.cut,
                                   task.busiest < 0 ? "" : fmt::format("/{:.0f}", task.busiest));
    fmt::print("\n{:<21}{:>11}  in {:.1f} ms by {}; target: {}{}\n", "  ours",
               fmt::format("{:.0f}/{:.0f}", after.cut, after.busiest_node), ours.seconds * 1e3,
               ours.result.method, target, task.cut < 0 || met ? "" : ", MISSED");
  }

  void tree(const MappingTask& task) {
    const Timed ours = timed(task.request, kRepetitions);
    const bool met = legal(ours.result) && reached(task, ours.result.after);
    count(met);
    fmt::print("{:<21}{:>11.0f}{:>11.0f}{:>11.0f}{:>11.1f}  {}\n", task.name,
               ours.result.before.distance, ours.result.after.distance, task.distance,
               ours.seconds * 1e3, met ? "met" : "MISSED");
  }

  void missing() const {
    for (const std::string& name : missing_) {
      fmt::print("{} is not installed (tools/bootstrap bench)\n", name);
    }
  }

  void summary() const { fmt::print("RESULT map_targets_met {}/{}\n", met_, all_); }

private:
  static bool reached(const MappingTask& task, const Score& score) {
    if (task.distance >= 0) return score.distance <= task.distance;
    if (score.cut != task.cut) return score.cut < task.cut;
    return task.busiest < 0 || score.busiest_node <= task.busiest;
  }

  static std::string nodecart(const MappingRequest& request) {
    const std::vector<int> capacity = capacities(request);
    const bool even = std::count(capacity.begin(), capacity.end(), capacity.front()) ==
                      static_cast<std::ptrdiff_t>(capacity.size());
    if (!request.grid || !even) return "-";
    const std::vector<int> node_of = plait::bench::nodecart(*request.grid, capacity.front());
    return node_of.empty() ? "-" : text(figures(request, node_of));
  }

  void count(bool met) {
    ++all_;
    met_ += met ? 1 : 0;
  }

  std::vector<std::string> missing_;
  int met_ = 0;
  int all_ = 0;
};

/// Time of a choice for a grid on nodes of 2 packages of 4 caches of 8 cores: the longer of the
/// choice that knows the grid and the choice that only sees its graph.
double longest_s(const std::vector<int>& dims, int repetitions) {
  int processes = 1;
  for (const int d : dims) processes *= d;
  constexpr int cores = 64;
  MappingRequest request = plait::bench::grid_on_nodes(dims, false, {processes});
  request.slots = plait::bench::uniform_tree((processes + cores - 1) / cores, 2, 4, 8);
  request.goal = plait::mapping::Goal::exchange_time;
  const Timed grid = timed(request, repetitions);
  request.grid.reset();
  const Timed graph = timed(request, repetitions);
  for (const auto& [what, run] : {std::pair{"grid", &grid}, std::pair{"graph", &graph}}) {
    fmt::print("{:>9}{:>8}{:>11.1f}{:>11.3g}{:>11.3g}  {}\n", processes, what, run->seconds * 1e3,
               run->result.before.time_s * 1e6, run->result.after.time_s * 1e6, run->result.method);
  }
  return std::max(grid.seconds, graph.seconds);
}

}  // namespace

int main() {
  Bench bench;
  fmt::print("cut/busiest node in weights of pairs; !n: n processes over capacity; ms of CPU\n");
  fmt::print("{:<21}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "task", "observed", "nodecart", "METIS",
             "KaHIP", "Scotch");
  for (const MappingTask& task : plait::bench::node_tasks()) bench.nodes(task);
  bench.nodes(plait::bench::random_task(), true);
  for (const MappingTask& task : plait::bench::layout_tasks()) bench.nodes(task);
  bench.missing();
  fmt::print("\nsum of bytes times distance on trees of nodes, packages, caches, cores\n");
  fmt::print("{:<21}{:>11}{:>11}{:>11}{:>11}\n", "task", "observed", "ours", "target", "ms");
  for (const MappingTask& task : plait::bench::tree_tasks()) bench.tree(task);
  fmt::print("\ntime of the search, and of an exchange before and after\n");
  fmt::print("{:>9}{:>8}{:>11}{:>11}{:>11}\n", "processes", "", "ms", "before us", "after us");
  const double thousand_s = longest_s({10, 10, 10}, 11);
  const double ten_thousand_s = longest_s({25, 20, 20}, kRepetitions);
  const double hundred_thousand_s = longest_s({50, 50, 40}, 3);
  bench.summary();
  fmt::print("RESULT map_ms_1000 {:.1f} ms (at most 50)\n", thousand_s * 1e3);
  fmt::print("RESULT map_ms_10000 {:.0f} ms (at most 1000)\n", ten_thousand_s * 1e3);
  fmt::print("RESULT map_s_100000 {:.2f} s (at most 20)\n", hundred_thousand_s);
  return 0;
}
