// SPDX-License-Identifier: BSD-3-Clause
// Slurm's launcher: srun.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "launcher/launcher_traits.hpp"
#include "launcher/option_lists.hpp"
#include "plait/error.hpp"

namespace plait::launcher {
namespace {

using machine::CpuSet;

/// Long options without a separate value, of srun(1) of Slurm 22.05 to 24.11; all others have one.
constexpr std::array<std::string_view, 31> kSrunFlags{"contiguous",    "disable-status",
                                                      "exact",         "exclusive",
                                                      "external",      "help",
                                                      "hold",          "immediate",
                                                      "interactive",   "kill-on-bad-exit",
                                                      "label",         "multi-prog",
                                                      "nice",          "no-allocate",
                                                      "no-kill",       "overcommit",
                                                      "overlap",       "oversubscribe",
                                                      "preserve-env",  "preserve-slurm-env",
                                                      "propagate",     "pty",
                                                      "quiet",         "reboot",
                                                      "spread-job",    "stepmgr",
                                                      "unbuffered",    "usage",
                                                      "use-min-nodes", "verbose",
                                                      "version"};
constexpr std::string_view kSrunShortFlags = "EHIKOQXZhklsuvV";

/// srun's --export option with these variables added.
std::string extended_export(const std::string& option, const Assignments& variables) {
  const std::string list = option.substr(option.find('=') + 1);
  if (list == "NONE" || list == "NIL") {
    throw Error("srun " + option, "it passes no variables to the ranks, so Plait cannot be loaded",
                "leave the option out");
  }
  std::string result = option;
  for (const auto& [name, value] : variables) result += "," + name;
  return result;
}

bool is_long(const std::string& option) {
  return option.starts_with("--");
}

class Slurm : public LauncherTraits {
public:
  Slurm()
      : LauncherTraits({.kind = LauncherKind::slurm,
                        .id = "slurm",
                        .mpi = "slurm",
                        .title = "Slurm",
                        .mpi_title = "Slurm",
                        .command = "srun",
                        .ranks = {"n", "ntasks"},
                        .folder = {"chdir", "D"},
                        .hosts = {"nodelist", "w"},
                        .placement = {"cpus-per-task", "c", "cpu-bind", "distribution", "m"}}) {}

  std::optional<std::string> version_in(const std::string& text) const override {
    std::string version = first_match(text, R"(slurm[a-z-]* ([0-9][0-9.]*))");
    return version.empty() ? std::nullopt : std::optional(std::move(version));
  }

  std::optional<JobRank> rank_in(const Lookup& value) const override {
    const auto rank = whole_number(value("SLURM_PROCID"));
    const auto step = whole_number(value("SLURM_STEP_ID"));
    // The batch script is a "step" too, without SLURM_STEP_ID or with one of the reserved numbers.
    constexpr unsigned kReserved = 0xfffffff0U;
    if (!rank || !step || static_cast<unsigned>(*step) >= kReserved) return std::nullopt;
    JobRank job;
    job.rank = *rank;
    job.size = whole_number(value("SLURM_STEP_NUM_TASKS")).value_or(0);
    job.launcher.kind = LauncherKind::slurm;
    job.key = fmt::format("slurm-{}-{}", value("SLURM_JOB_ID"), *step);
    return job;
  }

  std::size_t option_length(const std::string& option) const override {
    if (option.size() < 2) return 1;
    if (is_long(option)) {
      const bool whole = option.find('=') != option.npos || contains(kSrunFlags, option.substr(2));
      return whole ? 1 : 2;
    }
    // -n4 includes its value; -n 4 does not; -lu is two flags.
    return kSrunShortFlags.find(option[1]) != option.npos || option.size() > 2 ? 1 : 2;
  }

  /// Short options are one letter, directly followed by the value: -n4.
  OptionParts parts(const std::string& option) const override {
    if (option.size() < 2 || is_long(option)) return LauncherTraits::parts(option);
    return {option.substr(1, 1), option.substr(2)};
  }

  /// srun passes all variables unless the command has an --export list.
  Options exporting(const LaunchCommand& command, const Assignments& variables) const override {
    Options result = command.argv;
    const std::size_t end = command.applications.front().index;
    for (std::size_t at = command.launcher_index + 1; at < end; ++at) {
      if (result[at].starts_with("--export=")) {
        result[at] = extended_export(result[at], variables);
      }
    }
    return result;
  }

  Options bind_options(int threads) const override {
    return {fmt::format("--cpus-per-task={}", threads), "--cpu-bind=cores"};
  }
  Options cpu_list_options(const std::string& cpus) const override {
    return {"--cpu-bind=map_cpu:" + cpus};
  }
  PlacementOptions place(const Plan& plan, const std::string& version,
                         const std::filesystem::path& folder,
                         const SaidBefore& said) const override;
};

PlacementOptions Slurm::place(const Plan& plan, [[maybe_unused]] const std::string& version,
                              const std::filesystem::path& folder,
                              [[maybe_unused]] const SaidBefore& said) const {
  PlacementOptions added;
  if (only_here(plan)) {
    // Without this, srun spreads the ranks over all nodes of the job.
    added.options = {"--nodes=1"};
  } else {
    added.options = {"--distribution=arbitrary"};
    added.files["hosts"] = one_line_per_rank(plan, "");
    added.environment["SLURM_HOSTFILE"] = (folder / "hosts").string();
  }
  added.drop = facts().hosts;
  added.drop.insert(added.drop.end(), {"ntasks-per-node", "nodes", "N", "distribution", "m"});
  if (!is_bound(plan)) return added;
  const auto& options = facts().placement;
  added.drop.insert(added.drop.end(), options.begin(), options.end());
  if (ranks_overlap(plan)) added.options.emplace_back("--overcommit");
  // srun starts ranks of any MPI; MPICH and Intel MPI ignore the variable.
  if (crowded(plan)) added.environment["OMPI_MCA_mpi_yield_when_idle"] = "1";
  added.drop.insert(added.drop.end(), {"overcommit", "O"});
  const std::vector<CpuSet> list = list_for_all_nodes(plan);
  added.binder = list.empty();
  added.options.push_back(added.binder ? "--cpu-bind=none"
                                       : "--cpu-bind=mask_cpu:" + masks_text(list));
  added.notes.emplace_back("srun accepts masks only if whole nodes are allocated (--exclusive)");
  return added;
}

}  // namespace

const LauncherTraits& slurm() {
  static const Slurm traits;
  return traits;
}

}  // namespace plait::launcher
