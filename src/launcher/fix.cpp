// SPDX-License-Identifier: BSD-3-Clause
// Finds the launcher options that fix a finding about placement.
#include "launcher/fix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "launcher/command_options.hpp"
#include "launcher/launcher_traits.hpp"
#include "text/counted.hpp"

namespace plait::launcher {
namespace {

using placement::PlacementFinding;

std::string number(int n) {
  return std::to_string(n);
}

/// "OMP_NUM_THREADS=1 mpiexec --bind-to core ...".
std::string start_text(const Fix& fix, const Launcher& launcher) {
  std::vector<std::string> parts = fix.environment;
  if (launcher.kind != LauncherKind::none) parts.push_back(launcher.name);
  parts.insert(parts.end(), fix.options.begin(), fix.options.end());
  parts.emplace_back("...");
  return fmt::format("{}", fmt::join(parts, " "));
}

/// Intel MPI's options for binding set the number of threads.
bool sets_threads(const std::vector<std::string>& options) {
  return std::find(options.begin(), options.end(), "OMP_NUM_THREADS") != options.end();
}

Fix bind_fix(const Launcher& launcher, const PlacementFinding& finding, int threads) {
  Fix fix;
  const LauncherTraits& traits = traits_of(launcher.kind);
  fix.options = traits.bind_options(threads);
  fix.drop = traits.facts().placement;
  if (launcher.kind == LauncherKind::none) {
    fix.text = fmt::format("start the program with more CPUs: taskset -c {} ...",
                           finding.free_cpus.format());
  } else {
    fix.text = start_text(fix, launcher);
  }
  return fix;
}

/// More ranks than cores. Another number of ranks may be another problem, or not run at all, so the
/// ranks stay: those that wait yield their core, and each has one thread.
Fix yield_fix(const Launcher& launcher, const PlacementFinding& finding) {
  Fix fix;
  const LauncherTraits& traits = traits_of(launcher.kind);
  if (finding.threads_per_rank > 1) fix.environment.emplace_back("OMP_NUM_THREADS=1");
  if (finding.id == "oversubscribed_spin") fix.options = traits.yield_options();
  const std::string fewer = fmt::format("start at most {} per node: more nodes, or fewer ranks",
                                        counted(std::max(1, finding.cores), "rank"));
  fix.text = fix.options.empty() && fix.environment.empty()
                 ? fewer
                 : fmt::format("{}; or {}", start_text(fix, launcher), fewer);
  return fix;
}

/// For more threads than cores: as many threads as there are cores.
Fix fewer_fix(const Launcher& launcher, const PlacementFinding& finding) {
  const int cores = std::max(1, finding.cores);
  if (finding.ranks_here > cores) return yield_fix(launcher, finding);
  const int threads = std::max(1, cores / std::max(1, finding.ranks_here));
  Fix fix = bind_fix(launcher, finding, threads);
  if (finding.threads_per_rank > threads && !sets_threads(fix.options)) {
    fix.environment.push_back("OMP_NUM_THREADS=" + number(threads));
  }
  fix.text = start_text(fix, launcher);
  const bool others_fit = finding.threads_per_rank <= cores && finding.threads_per_rank > threads;
  if (launcher.kind != LauncherKind::none && others_fit) {
    fix.text +=
        fmt::format("; or with {} per node: {}", counted(cores / finding.threads_per_rank, "rank"),
                    start_text(bind_fix(launcher, finding, finding.threads_per_rank), launcher));
  }
  return fix;
}

/// Moves ranks away from the cores that other jobs use. Only a text if too few cores are free.
Fix elsewhere_fix(const Launcher& launcher, const PlacementFinding& finding) {
  Fix fix;
  const int wanted = finding.ranks_here * finding.threads_per_rank;
  const std::vector<int> free = finding.free_cpus.indices();
  if (launcher.kind != LauncherKind::none && static_cast<int>(free.size()) >= wanted &&
      finding.threads_per_rank == 1) {
    const std::vector<int> used(free.begin(), free.begin() + wanted);
    const LauncherTraits& traits = traits_of(launcher.kind);
    fix.options = traits.cpu_list_options(fmt::format("{}", fmt::join(used, ",")));
    fix.drop = traits.facts().placement;
    fix.text = start_text(fix, launcher);
  } else {
    fix.text = "wait until the other job has ended, or give this job other cores";
  }
  return fix;
}

}  // namespace

Fix fix_for(const placement::PlacementFinding& finding, const Launcher& launcher) {
  if (finding.id == "foreign_processes") return elsewhere_fix(launcher, finding);
  const bool too_many = !finding.fits() || finding.id == "oversubscribed" ||
                        finding.id == "oversubscribed_spin" || finding.id == "quota_below_cores";
  return too_many ? fewer_fix(launcher, finding)
                  : bind_fix(launcher, finding, finding.threads_per_rank);
}

std::vector<std::string> fixed_command(const LaunchCommand& command, const Fix& fix) {
  if (fix.options.empty() && fix.environment.empty()) return {};
  const auto argument = [&](std::size_t at) {
    return command.argv.begin() + static_cast<std::ptrdiff_t>(at);
  };
  std::vector<std::string> result(command.argv.begin(), argument(command.launcher_index));
  if (command.launcher.kind == LauncherKind::none) {
    result = command.argv;
  } else {
    result.push_back(command.argv[command.launcher_index]);
    result.insert(result.end(), fix.options.begin(), fix.options.end());
    const std::vector<std::string> kept = options_without(command, fix.drop);
    result.insert(result.end(), kept.begin(), kept.end());
    const Application& first = command.applications.front();
    result.insert(result.end(), argument(first.index - first.wrapper.size()), command.argv.end());
  }
  for (const std::string& assignment : fix.environment) override_assignments(result, assignment);
  if (!fix.environment.empty()) {
    std::vector<std::string> front{"env"};
    front.insert(front.end(), fix.environment.begin(), fix.environment.end());
    result.insert(result.begin(), front.begin(), front.end());
  }
  return result;
}

}  // namespace plait::launcher
