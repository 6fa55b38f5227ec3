// SPDX-License-Identifier: BSD-3-Clause
// Job arrays of Slurm that make the runs of a sweep.
#include "sweep/slurm_jobs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "base/shell_word.hpp"

namespace plait::sweep {
namespace {

/// The command of a run.
std::string run_text(const Sweep& sweep, const SweepPoint& point,
                     const std::filesystem::path& directory) {
  std::vector<std::string> command{"plait",       "run",      "--quiet",
                                   "--no-report", "--output", directory.string()};
  if (!sweep.mpi.empty()) command.insert(command.end(), {"--mpi", sweep.mpi});
  if (sweep.limits.time_limit_s) {
    command.insert(command.end(), {"--time-limit", fmt::format("{}", *sweep.limits.time_limit_s)});
  }
  command.emplace_back("--");
  command.insert(command.end(), point.point.command.begin(), point.point.command.end());
  return command_text(command);
}

/// A minute more than the limit of a run, for the start.
std::string time_text(const Limits& limits) {
  if (!limits.time_limit_s) return "";
  return fmt::format("#SBATCH --time={:.0f}\n", std::ceil(*limits.time_limit_s / 60) + 1);
}

}  // namespace

std::vector<JobScript> slurm_jobs(const Sweep& sweep, const std::filesystem::path& folder,
                                  const std::filesystem::path& work) {
  std::map<std::pair<int, int>, std::vector<const SweepPoint*>> shapes;
  for (const SweepPoint& point : sweep.points) {
    if (point.is_over()) continue;
    shapes[{point.point.ranks, point.point.threads}].push_back(&point);
  }
  std::vector<JobScript> scripts;
  for (const auto& [shape, points] : shapes) {
    const auto [ranks, threads] = shape;
    const int tasks = sweep.limits.repeat * static_cast<int>(points.size());
    std::string text = fmt::format(
        "#!/bin/bash\n#SBATCH --job-name=plait-sweep\n#SBATCH --array=0-{}\n#SBATCH --ntasks={}\n"
        "#SBATCH --cpus-per-task={}\n#SBATCH --exclusive\n#SBATCH --output=\"{}\"\n{}"
        "# Since Slurm 22.05, srun does not take this from the job.\n"
        "export SRUN_CPUS_PER_TASK={}\ncd {} || exit 1\ncase \"$SLURM_ARRAY_TASK_ID\" in\n",
        tasks - 1, ranks, threads, (folder / "slurm-%A-%a.out").string(), time_text(sweep.limits),
        threads, shell_word(work.string()));
    int task = 0;
    for (int repetition = 1; repetition <= sweep.limits.repeat; ++repetition) {
      for (const SweepPoint* const point : points) {
        const auto directory = folder / point->folder / std::to_string(repetition);
        text += fmt::format("{}) exec {} ;;\n", task++, run_text(sweep, *point, directory));
      }
    }
    scripts.push_back({fmt::format("ranks{}-threads{}.sbatch", ranks, threads), text + "esac\n"});
  }
  return scripts;
}

}  // namespace plait::sweep
