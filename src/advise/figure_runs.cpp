// SPDX-License-Identifier: BSD-3-Clause
// Figures 2.3 and 2.5 of Stengel's thesis, and points measured by plait-jacobi for them.
#include "advise/figure_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "advise/solver_on_cluster.hpp"
#include "cluster/cluster.hpp"
#include "cluster/state.hpp"
#include "plait/error.hpp"
#include "text/extents.hpp"

namespace plait::advise {
namespace {

namespace fs = std::filesystem;
using model::Extents;
using model::JacobiMode;

Extents product(const Extents& a, const Extents& b) {
  return {a[0] * b[0], a[1] * b[1], a[2] * b[2]};
}

const char* schedule_of(JacobiMode mode) {
  if (mode == JacobiMode::task_manual) return "comm_thread";
  return mode == JacobiMode::task_openmp_conserving ? "tasks" : "blocking";
}

/// One run: so many nodes of the cluster in one mode.
struct Point {
  int nodes = 1;
  JacobiMode mode = JacobiMode::mpi_one;
};

class FigureRunner {
public:
  FigureRunner(const FigureRuns& runs, const cluster::Cluster& cluster)
      : runs_(runs), cluster_(cluster), solver_(installed_solver("plait-jacobi")) {}

  void run() const {
    const std::vector<Point> points = possible_points();
    if (points.empty()) {
      throw Error("--cluster " + runs_.cluster, "too few nodes or cores for this request",
                  "use --nodes 1,2 and --mode mpi_1ppn");
    }
    for (int round = 1; round <= runs_.repeat; ++round) {
      for (const Point& point : points) run_once(point, round);
    }
  }

private:
  [[nodiscard]] int cores() const { return cluster_.nodes.front().cores; }

  /// Each number of nodes and mode that the cluster has nodes and cores for.
  [[nodiscard]] std::vector<Point> possible_points() const {
    const std::vector<JacobiMode> possible = model::jacobi_modes(cores());
    const std::set<int> numbers(runs_.nodes.begin(), runs_.nodes.end());
    std::vector<Point> points;
    for (const int nodes : numbers) {
      if (nodes > static_cast<int>(cluster_.nodes.size())) continue;
      for (const JacobiMode mode : runs_.modes) {
        const bool is_run = mode != JacobiMode::task_openmp_upper;  // a bound
        const bool fits = std::find(possible.begin(), possible.end(), mode) != possible.end();
        if (is_run && fits) points.push_back({nodes, mode});
      }
    }
    return points;
  }

  [[nodiscard]] std::vector<std::string> command(const Point& point, const fs::path& result) const {
    const Extents parts = model::parts_for_nodes(point.nodes, runs_.cells);
    const bool one_rank_per_core = point.mode == JacobiMode::mpi_all;
    const Extents of_node =
        one_rank_per_core ? model::parts_for_ranks(cores(), runs_.cells) : Extents{1, 1, 1};
    const bool one_thread = one_rank_per_core || point.mode == JacobiMode::mpi_one;
    return {runs_.launcher,
            "-n",
            std::to_string(point.nodes * (one_rank_per_core ? cores() : 1)),
            solver_.string(),
            "--size",
            format_extents(product(parts, runs_.cells)),
            "--ranks",
            format_extents(product(parts, of_node)),
            "--map",
            one_rank_per_core ? "node_blocked" : "row_major",
            "--schedule",
            schedule_of(point.mode),
            "--threads",
            std::to_string(one_thread ? 1 : cores()),
            "--steps",
            std::to_string(runs_.steps),
            "--json",
            result.string()};
  }

  void run_once(const Point& point, int round) const {
    const std::string name = fmt::format("{}-nodes-{}", point.nodes, name_of(point.mode, cores()));
    const fs::path result = runs_.folder / fmt::format("{}-{}.json", name, round);
    run_on_nodes(cluster_, point.nodes, command(point, result), name, runs_.folder, round,
                 runs_.repeat);
  }

  const FigureRuns& runs_;
  const cluster::Cluster& cluster_;
  fs::path solver_;
};

}  // namespace

const Figure& figure_numbered(const std::string& number) {
  static const std::array<Figure, 2> figures{
      Figure{"2.3", "pure MPI on one core per node, Gigabit Ethernet", {"mpi_1ppn"}},
      Figure{"2.5", "parallel models of the Jacobi solver, Gigabit Ethernet", {"all"}}};
  for (const Figure& figure : figures) {
    if (figure.number == number) return figure;
  }
  throw Error("--figure " + number, "unknown figure", "choose 2.3 or 2.5");
}

std::vector<int> figure_nodes() {
  return {1, 2, 3, 4, 6, 8, 12, 16, 24, 27, 32};
}

void run_figure(const FigureRuns& runs) {
  const cluster::Cluster found = cluster_for_results(runs.cluster, runs.folder);
  FigureRunner(runs, found).run();
}

report::MeasuredScaling figure_points(const fs::path& folder, const machine::MachineFile& machine) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const bool result = entry.path().extension() == ".json";
    if (result && entry.path().filename() != "cluster.json") files.push_back(entry.path());
  }
  if (files.empty()) {
    throw Error(folder.string(), "no results of plait-jacobi",
                "give the folder that plait-jacobi --json wrote its files to");
  }
  std::sort(files.begin(), files.end());
  std::vector<report::JacobiRun> runs;
  for (const fs::path& file : files) {
    const auto read = report::read_jacobi_runs(file);
    runs.insert(runs.end(), read.begin(), read.end());
  }
  std::optional<report::EmulatedNodes> emulated;
  if (fs::exists(folder / "cluster.json")) {
    const cluster::Cluster of = cluster::load(folder);
    emulated = {of.request.name, static_cast<int>(of.nodes.size()), of.nodes.front().cores,
                of.request.bytes_per_second, of.request.latency_s};
  }
  report::MeasuredScaling measured = report::measured_scaling(runs, machine, emulated);
  measured.folder = folder.string();
  return measured;
}

}  // namespace plait::advise
