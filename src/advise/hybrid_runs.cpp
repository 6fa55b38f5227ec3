// SPDX-License-Identifier: BSD-3-Clause
// Measures the cases of a prediction of HPL with plait-lu on the nodes of an emulated cluster.
#include "advise/hybrid_runs.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "advise/solver_on_cluster.hpp"
#include "base/json_file.hpp"
#include "base/statistics.hpp"
#include "plait/error.hpp"

namespace plait::advise {
namespace {

namespace fs = std::filesystem;
using report::HybridRow;

constexpr std::array kSchedules{"mpi", "pc", "tc"};

bool fits(const HybridRow& row, const cluster::Cluster& cluster) {
  return row.of.nodes <= static_cast<int>(cluster.nodes.size()) &&
         row.of.cores <= cluster.nodes.front().cores;
}

double solver_time_s(const fs::path& result) {
  return read_json_file(result, "plait-lu", 1).at("runs").at(0).at("time_s").get<double>();
}

}  // namespace

std::vector<std::string> lu_command(const HybridRuns& runs, const std::string& solver,
                                    const HybridRow& row, const std::string& schedule,
                                    const fs::path& result) {
  const bool every_core = schedule == "mpi";
  const model::Grid& grid = every_core ? row.of.mpi : row.of.hybrid;
  return {runs.launcher,
          "-n",
          std::to_string(grid.rows * grid.columns),
          solver,
          "--size",
          std::to_string(row.size),
          "--block",
          std::to_string(runs.block),
          "--grid",
          fmt::format("{}x{}", grid.rows, grid.columns),
          "--schedule",
          schedule,
          "--threads",
          std::to_string(every_core ? 1 : row.of.cores),
          "--look-ahead",
          schedule == "tc" ? "1" : "0",
          "--json",
          result.string()};
}

void measure_hybrid(const HybridRuns& runs, const cluster::Cluster& cluster,
                    std::vector<HybridRow>& rows) {
  const std::string solver = installed_solver("plait-lu").string();
  std::map<std::size_t, std::array<std::vector<double>, 3>> times;
  for (int round = 1; round <= runs.repeat; ++round) {
    for (std::size_t at = 0; at < rows.size(); ++at) {
      if (!fits(rows[at], cluster)) continue;
      for (std::size_t model = 0; model < kSchedules.size(); ++model) {
        const std::string name = fmt::format("{}-{}x{}-n{}-{}", at, rows[at].of.nodes,
                                             rows[at].of.cores, rows[at].size, kSchedules[model]);
        const fs::path result = runs.folder / fmt::format("{}-{}.json", name, round);
        run_on_nodes(cluster, rows[at].of.nodes,
                     lu_command(runs, solver, rows[at], kSchedules[model], result), name,
                     runs.folder, round, runs.repeat);
        times[at][model].push_back(solver_time_s(result));
      }
    }
  }
  if (times.empty()) {
    throw Error("--cluster", "too few nodes or cores for this request",
                "give --nodes and --cores of the cluster");
  }
  for (const auto& [at, of] : times) {
    rows[at].measured = {median(of[0]), median(of[1]), median(of[2])};
  }
}

}  // namespace plait::advise
