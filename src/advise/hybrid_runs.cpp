// SPDX-License-Identifier: BSD-3-Clause
// Measures the cases of a prediction with plait-cg or plait-lu on the nodes of an emulated cluster.
#include "advise/hybrid_runs.hpp"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
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

/// Of one model of a row, in seconds.
struct Times {
  std::vector<double> total, messages;

  /// From a result of the solver; plait-lu does not say how long its messages take.
  void add(const nlohmann::json& run) {
    total.push_back(run.at("time_s").get<double>());
    if (run.contains("message_s")) messages.push_back(run.at("message_s").get<double>());
  }
};

}  // namespace

std::vector<std::string> solver_command(const HybridRuns& runs, const std::string& solver,
                                        const HybridRow& row, const std::string& schedule,
                                        const fs::path& result) {
  const bool every_core = schedule == "mpi";
  const model::Grid& grid = every_core ? row.of.mpi : row.of.hybrid;
  std::vector<std::string> command{runs.launcher, "-n", std::to_string(grid.rows * grid.columns),
                                   solver};
  const auto add = [&](std::initializer_list<std::string> more) {
    command.insert(command.end(), more);
  };
  if (runs.program == "cg") {
    add({"--class", runs.cg_class});
  } else {
    add({"--size", std::to_string(row.size), "--block", std::to_string(runs.block), "--grid",
         fmt::format("{}x{}", grid.rows, grid.columns), "--look-ahead",
         schedule == "tc" ? "1" : "0"});
  }
  add({"--schedule", schedule, "--threads", std::to_string(every_core ? 1 : row.of.cores), "--json",
       result.string()});
  return command;
}

void measure_hybrid(const HybridRuns& runs, const cluster::Cluster& cluster,
                    std::vector<HybridRow>& rows) {
  const std::string solver =
      installed_solver(runs.program == "cg" ? "plait-cg" : "plait-lu").string();
  std::map<std::size_t, std::array<Times, kSchedules.size()>> times;
  for (int round = 1; round <= runs.repeat; ++round) {
    for (std::size_t at = 0; at < rows.size(); ++at) {
      if (!fits(rows[at], cluster)) continue;
      for (std::size_t model = 0; model < kSchedules.size(); ++model) {
        const std::string name = fmt::format("{}-{}x{}-n{}-{}", at, rows[at].of.nodes,
                                             rows[at].of.cores, rows[at].size, kSchedules[model]);
        const fs::path result = runs.folder / fmt::format("{}-{}.json", name, round);
        run_on_nodes(cluster, rows[at].of.nodes,
                     solver_command(runs, solver, rows[at], kSchedules[model], result), name,
                     runs.folder, round, runs.repeat);
        const nlohmann::json json = read_json_file(result, fs::path(solver).filename().string(), 1);
        times[at][model].add(json.at("runs").at(0));
      }
    }
  }
  if (times.empty()) {
    throw Error("--cluster", "too few nodes or cores for this request",
                "give --nodes and --cores of the cluster");
  }
  for (const auto& [at, of] : times) {
    report::MeasuredHybrid& measured = rows[at].measured.emplace();
    measured = {median(of[0].total), median(of[1].total), median(of[2].total), 0};
    if (!of[1].messages.empty()) measured.pc_messages_s = median(of[1].messages);
  }
}

}  // namespace plait::advise
