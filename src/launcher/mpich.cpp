// SPDX-License-Identifier: BSD-3-Clause
// MPICH's launcher: mpiexec, mpiexec.hydra.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>

#include "base/process_tree.hpp"
#include "launcher/hydra.hpp"
#include "launcher/option_lists.hpp"

namespace plait::launcher {
namespace {

using machine::CpuSet;

/// A key of the job on this node. Hydra gives its ranks no job id, but all ranks of a node have the
/// same proxy as ancestor.
std::string hydra_key() {
  pid_t pid = ::getppid();
  for (pid_t next = pid; next > 1;) {
    const auto stat = process_stat(next);
    if (!stat) break;
    if (stat->name.find("hydra") != stat->name.npos || stat->name.find("mpiexec") == 0) {
      return fmt::format("hydra-{}-{}", next, stat->start_ticks);
    }
    next = stat->parent;
  }
  return fmt::format("parent-{}", pid);
}

/// Names the hosts. @returns whether one proxy per node counts the node's ranks, from 0 on
bool mpich_hosts(const Plan& plan, const std::string& version, const std::string& file,
                 PlacementOptions& added) {
  const bool adjacent = ranks_adjacent(plan);
  if (only_here(plan)) return true;
  added.options = {"-f", file};
  added.files["hosts"] = one_line_per_node(plan);
  if (adjacent) return true;
  constexpr int kFirstWithRankmap = 5;
  if (version.empty() || std::atoi(version.c_str()) >= kFirstWithRankmap) {
    added.options.insert(added.options.end(),
                         {"-rankmap", fmt::format("{}", fmt::join(node_of_rank(plan), ","))});
    return true;
  }
  // A host that is named again gets another proxy, and MPICH takes each proxy for a node.
  added.files["hosts"] = one_line_per_rank(plan, ":1");
  added.notes.push_back(fmt::format(
      "MPICH {} treats ranks of one node as ranks on different nodes if their rank numbers are not "
      "consecutive: they get no shared memory. MPICH 5 (-rankmap) does not",
      version));
  return false;
}

class Mpich : public Hydra {
public:
  Mpich()
      : Hydra({.kind = LauncherKind::mpich,
               .id = "mpich",
               .mpi = "mpich",
               .title = "MPICH",
               .mpi_title = "MPICH",
               .abi = "mpich",
               .ranks = {"n", "np"},
               .folder = {"wdir", "wd"},
               .hosts = hydra_host_options(),
               .placement = {"bind-to", "binding", "map-by"}}) {}

  std::optional<std::string> version_in(const std::string& text) const override {
    if (text.find("HYDRA") == text.npos) return std::nullopt;
    return first_match(text, R"(Version:\s+([0-9][0-9a-z.]*))");
  }

  std::optional<JobRank> rank_in(const Lookup& value) const override {
    auto job = hydra_rank_in(value);
    if (!job || !value("I_MPI_HYDRA_UUID").empty()) return std::nullopt;
    job->launcher.kind = LauncherKind::mpich;
    const bool one_node = whole_number(value("MPI_LOCALNRANKS")).value_or(0) == job->size;
    if (one_node) job->key = hydra_key();
    return job;
  }

  Options bind_options(int threads) const override {
    return {"-bind-to", fmt::format("core:{}", threads)};
  }
  Options cpu_list_options(const std::string& cpus) const override {
    return {"-bind-to", "user:" + cpus};
  }
  PlacementOptions place(const Plan& plan, const std::string& version,
                         const std::filesystem::path& folder,
                         const SaidBefore& said) const override;

  Options unbound_here([[maybe_unused]] int ranks) const override {
    return {"-launcher", "fork", "-hosts", "localhost", "-bind-to", "none"};
  }
  Options unbound_on(const std::vector<std::string>& nodes, int per_node) const override {
    return {"-hosts", host_counts(nodes, per_node), "-bind-to", "none"};
  }
  AsyncProgress async_progress() const override {
    return {"MPIR_CVAR_ASYNC_PROGRESS=1", "MPIR_CVAR_ASYNC_PROGRESS", "1"};
  }
};

PlacementOptions Mpich::place(const Plan& plan, const std::string& version,
                              const std::filesystem::path& folder,
                              [[maybe_unused]] const SaidBefore& said) const {
  PlacementOptions added;
  const bool counted = mpich_hosts(plan, version, (folder / "hosts").string(), added);
  added.drop = facts().hosts;
  added.drop.insert(added.drop.end(), {"ppn", "perhost", "rankmap"});
  if (!is_bound(plan)) return added;
  const auto& options = facts().placement;
  added.drop.insert(added.drop.end(), options.begin(), options.end());
  const std::vector<CpuSet> list = list_for_all_nodes(plan);
  if (crowded(plan)) {
    added.notes.emplace_back(
        "MPICH's ranks do not yield their core while they wait; ranks that share cores may be "
        "slow");
  }
  added.binder = list.empty() || !counted;
  std::vector<std::string> users;
  for (const CpuSet& pus : list) users.push_back(fmt::format("{}", fmt::join(pus.indices(), "+")));
  added.options.insert(
      added.options.end(),
      {"-bind-to", added.binder ? "none" : fmt::format("user:{}", fmt::join(users, ","))});
  return added;
}

}  // namespace

const LauncherTraits& mpich() {
  static const Mpich traits;
  return traits;
}

}  // namespace plait::launcher
