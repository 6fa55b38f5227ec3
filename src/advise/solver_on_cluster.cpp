// SPDX-License-Identifier: BSD-3-Clause
// Runs Plait's solvers on the nodes of an emulated cluster, for figures of the papers.
#include "advise/solver_on_cluster.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "advise/trials.hpp"
#include "base/failure.hpp"
#include "base/layout.hpp"
#include "base/subprocess.hpp"
#include "cluster/launcher_command.hpp"
#include "cluster/state.hpp"
#include "plait/error.hpp"
#include "text/units.hpp"

namespace plait::advise {
namespace {

namespace fs = std::filesystem;

constexpr double kRunLimit_s = 120;

}  // namespace

cluster::Cluster cluster_for_results(const std::string& name, const fs::path& folder) {
  const std::optional<cluster::Cluster> found = cluster::find(name);
  if (!found) {
    throw Error("--cluster " + name, "no such cluster is up",
                "start it: plait cluster up --nodes 4 --cores-per-node 1 --rate 1gbit");
  }
  fs::create_directories(folder);
  cluster::Cluster description = *found;
  description.folder = folder;
  cluster::save(description);
  return *found;
}

fs::path installed_solver(const std::string& name) {
  fs::path solver = install_layout().prefix / "bin" / name;
  if (!fs::exists(solver)) {
    throw Error(solver.string(), "this Plait was built without it",
                "build Plait with an MPI and the libraries of the solver");
  }
  return solver;
}

void run_on_nodes(const cluster::Cluster& cluster, int nodes,
                  const std::vector<std::string>& command, const std::string& name,
                  const fs::path& folder, int round, int rounds) {
  cluster::Cluster part = cluster;
  part.nodes.resize(static_cast<std::size_t>(nodes));
  const cluster::ClusterCommand on_part = cluster::on_cluster(part, command);
  TrialCommand trial{name, cluster::on_node(part, cluster::kHead, on_part.argv), {}};
  for (const std::string& assignment : on_part.environment) {
    const std::size_t equals = assignment.find('=');
    trial.environment.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  const TrialRun run = advise::run_once(trial, folder, std::to_string(round), kRunLimit_s);
  if (run.interrupted_by) throw Interrupted(*run.interrupted_by);
  if (run.outcome.kind != run::Outcome::ended) {
    throw Failure(
        name, run::outcome_sentence(run.outcome),
        "its output is in " + folder.string() +
            "; with --launcher, give the mpiexec of the MPI that the solver was built with");
  }
  fmt::print(stderr, "plait: round {} of {}, {}: {}\n", round, rounds, name,
             format_seconds(run.seconds));
}

}  // namespace plait::advise
