// SPDX-License-Identifier: BSD-3-Clause
// The option of a launcher that mends a finding about placement.
#include "launch/mend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "launch/placement_options.hpp"

namespace plait::launch {
namespace {

using map::PlacementFinding;

std::string number(int n) {
  return std::to_string(n);
}

/// Each rank on `threads` cores of its own.
std::vector<std::string> bind_options(LauncherKind kind, int threads) {
  switch (kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      return {"--map-by", threads == 1 ? "core" : "slot:PE=" + number(threads), "--bind-to",
              "core"};
    case LauncherKind::mpich:
      return {"-bind-to", "core:" + number(threads)};
    case LauncherKind::intel:
      return {"-genv", "OMP_NUM_THREADS", number(threads), "-genv", "I_MPI_PIN_DOMAIN", "omp"};
    case LauncherKind::slurm:
      return {"--cpus-per-task=" + number(threads), "--cpu-bind=cores"};
    case LauncherKind::none:
      break;
  }
  return {};
}

/// Ranks only on the given hardware threads.
std::vector<std::string> cpu_list_options(LauncherKind kind, const std::string& cpus) {
  switch (kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      return {"--cpu-set", cpus, "--bind-to", "core"};
    case LauncherKind::mpich:
      return {"-bind-to", "user:" + cpus};
    case LauncherKind::intel:
      return {"-genv", "I_MPI_PIN_PROCESSOR_LIST", cpus};
    case LauncherKind::slurm:
      return {"--cpu-bind=map_cpu:" + cpus};
    case LauncherKind::none:
      break;
  }
  return {};
}

/// What lets waiting ranks give up their core, where the launcher has such an option.
std::string yield_option(LauncherKind kind) {
  if (kind == LauncherKind::openmpi4) return "--mca mpi_yield_when_idle 1";
  if (kind == LauncherKind::openmpi5) return "--map-by :OVERSUBSCRIBE";
  return "";
}

/// "OMP_NUM_THREADS=1 mpiexec -n 2 --bind-to core ...".
std::string start_text(const Mend& mend, const Launcher& launcher) {
  std::vector<std::string> words = mend.environment;
  if (launcher.kind != LauncherKind::none) words.push_back(launcher.name);
  if (mend.ranks > 0) {
    words.insert(words.end(), {"-n", number(mend.ranks)});
  }
  words.insert(words.end(), mend.options.begin(), mend.options.end());
  words.emplace_back("...");
  return fmt::format("{}", fmt::join(words, " "));
}

Mend bind_mend(const Launcher& launcher, const PlacementFinding& finding, int threads) {
  Mend mend;
  mend.options = bind_options(launcher.kind, threads);
  mend.drop = placement_options(launcher.kind);
  if (launcher.kind == LauncherKind::none) {
    mend.text =
        fmt::format("start it with a wider mask: taskset -c {} ...", finding.free_cpus.format());
  } else {
    mend.text = start_text(mend, launcher);
  }
  return mend;
}

/// Where there are more threads than cores: as many as there are cores.
Mend fewer_mend(const Launcher& launcher, const PlacementFinding& finding) {
  const int cores = std::max(1, finding.cores);
  const int threads = std::max(1, cores / std::max(1, finding.ranks_here));
  const bool fewer_ranks = finding.ranks_here > cores;
  Mend mend = bind_mend(launcher, finding, threads);
  if (finding.threads_per_rank > threads && launcher.kind != LauncherKind::intel) {
    mend.environment.push_back("OMP_NUM_THREADS=" + number(threads));
  }
  if (fewer_ranks) mend.ranks = cores;
  if (launcher.kind == LauncherKind::none) {
    mend.text = start_text(mend, launcher);
    return mend;
  }
  mend.text = start_text(mend, launcher);
  if (fewer_ranks) {
    const std::string yield = yield_option(launcher.kind);
    if (!yield.empty() && finding.id == "oversubscribed_spin")
      mend.text += "; or let waiting ranks yield: " + yield;
  } else if (finding.threads_per_rank <= cores && finding.threads_per_rank > threads) {
    Mend other = bind_mend(launcher, finding, finding.threads_per_rank);
    other.ranks = cores / finding.threads_per_rank;
    mend.text += "; or " + start_text(other, launcher);
  }
  return mend;
}

/// Away from the cores that other jobs use; text alone where there are too few others.
Mend elsewhere_mend(const Launcher& launcher, const PlacementFinding& finding) {
  Mend mend;
  const int wanted = finding.ranks_here * finding.threads_per_rank;
  const std::vector<int> free = finding.free_cpus.indices();
  if (launcher.kind != LauncherKind::none && static_cast<int>(free.size()) >= wanted &&
      finding.threads_per_rank == 1) {
    const std::vector<int> used(free.begin(), free.begin() + wanted);
    mend.options = cpu_list_options(launcher.kind, fmt::format("{}", fmt::join(used, ",")));
    mend.drop = placement_options(launcher.kind);
    mend.text = start_text(mend, launcher);
  } else {
    mend.text = "let the other job end first, or give this one cores of its own";
  }
  return mend;
}

}  // namespace

Mend mend(const map::PlacementFinding& finding, const Launcher& launcher) {
  if (finding.id == "foreign_processes") return elsewhere_mend(launcher, finding);
  const bool too_many = !finding.fits() || finding.id == "oversubscribed" ||
                        finding.id == "oversubscribed_spin" || finding.id == "quota_below_cores";
  return too_many ? fewer_mend(launcher, finding)
                  : bind_mend(launcher, finding, finding.threads_per_rank);
}

std::vector<std::string> mended_command(const LaunchCommand& command, const Mend& mend) {
  if (mend.options.empty() && mend.environment.empty() && mend.ranks == 0) return {};
  const auto word = [&](std::size_t at) {
    return command.argv.begin() + static_cast<std::ptrdiff_t>(at);
  };
  std::vector<std::string> result(command.argv.begin(), word(command.launcher_index));
  if (command.launcher.kind == LauncherKind::none) {
    result = command.argv;
  } else {
    result.push_back(command.argv[command.launcher_index]);
    result.insert(result.end(), mend.options.begin(), mend.options.end());
    if (mend.ranks > 0) result.insert(result.end(), {"-n", number(mend.ranks)});
    std::vector<std::string> drop = mend.drop;
    if (mend.ranks > 0) drop.insert(drop.end(), {"n", "np", "ntasks"});
    const std::vector<std::string> kept = options_without(command, drop);
    result.insert(result.end(), kept.begin(), kept.end());
    const Application& first = command.applications.front();
    result.insert(result.end(), word(first.index - first.wrapper.size()), command.argv.end());
  }
  for (const std::string& assignment : mend.environment) override_assignments(result, assignment);
  if (!mend.environment.empty()) {
    std::vector<std::string> front{"env"};
    front.insert(front.end(), mend.environment.begin(), mend.environment.end());
    result.insert(result.begin(), front.begin(), front.end());
  }
  return result;
}

}  // namespace plait::launch
