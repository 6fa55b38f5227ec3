// SPDX-License-Identifier: BSD-3-Clause
// Reads from a run directory what a sweep needs: the outcome, the figure of merit, efficiencies.
#include "sweep/observe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/figure_in_text.hpp"
#include "base/json_file.hpp"
#include "plait/error.hpp"
#include "report/finish.hpp"
#include "report/run_file.hpp"
#include "run/run_directory.hpp"

namespace plait::sweep {
namespace {

namespace fs = std::filesystem;

/// The output of the whole job.
std::string output_of(const fs::path& run_dir) {
  std::string text;
  for (const char* name : {"stdout.txt", "stderr.txt"}) {
    if (fs::exists(run_dir / name)) text += read_text_file(run_dir / name) + "\n";
  }
  return text;
}

run::JobOutcome outcome_of(const report::RunFile& file, const std::string& output,
                           std::optional<double> limit_s) {
  run::ProcessEnd end;
  end.exit_code = file.exit_code.value_or(-1);
  end.signal = file.signal;
  end.timed_out = file.state == run::state_name(run::RunState::time_limit);
  return run::judge_outcome(end, output, limit_s);
}

/// The profile; nothing if the program left no records, as one without MPI.
std::optional<report::Profile> profile_of(const fs::path& run_dir) {
  try {
    return report::open_run(run_dir);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void add_profile(const report::Profile& profile, PointRun& run) {
  const report::EfficiencyTable& table = profile.efficiencies;
  if (!profile.ranks.empty() && !profile.context.mpi.abi.empty()) {
    run.factors = {table.parallel.value, table.load_balance.value, table.communication.value,
                   table.threads.value, table.cpu.value};
  }
  run.cpus = profile.contention.cpus;
  std::uint64_t most = 0;
  for (const report::MemoryHostRow& host : profile.memory.hosts) most = std::max(most, host.peak);
  if (most > 0) run.node_bytes = static_cast<double>(most);
}

/// Time in a region, mean over the ranks that were in it.
/// @return nothing, and the reason in `problem`, if no rank was
std::optional<double> region_s(const std::optional<report::Profile>& profile,
                               const std::string& name, std::string& problem) {
  std::vector<std::string> names;
  if (profile) {
    for (const report::RegionRow& region : profile->regions) {
      if (region.name == name && region.ranks > 0) return region.time_s / region.ranks;
      names.push_back(region.name);
    }
  }
  problem = names.empty()
                ? fmt::format("the run has no region \"{}\", nor any other", name)
                : fmt::format("the run has no region \"{}\", but {}", name, fmt::join(names, ", "));
  return std::nullopt;
}

/// The figure of merit; nothing, and the reason in `problem`, if the run has none.
std::optional<double> value_of(const Figure& figure, const PointRun& run, const std::string& output,
                               const std::optional<report::Profile>& profile,
                               std::string& problem) {
  if (figure.kind == FigureKind::wall) return run.wall_s;
  if (figure.kind == FigureKind::region) return region_s(profile, figure.text, problem);
  const std::optional<double> value = figure_in(output, figure_expression("--metric", figure.text));
  if (!value) problem = fmt::format("\"{}\" finds no number in its output", figure.text);
  if (!value || *value > 0) return value;
  problem = fmt::format("\"{}\" finds {} in its output, which is not above 0", figure.text, *value);
  return std::nullopt;
}

}  // namespace

Observed observe(const fs::path& run_dir, const Figure& figure, std::optional<double> limit_s) {
  const report::RunFile file = report::read_run_file(run_dir);
  const std::string output = output_of(run_dir);
  Observed observed;
  observed.run.wall_s = file.wall_s;
  const run::JobOutcome outcome = outcome_of(file, output, limit_s);
  if (outcome.kind != run::Outcome::ended) {
    observed.failure = PointFailure{outcome, run::outcome_sentence(outcome), {}, {}};
    return observed;
  }
  const std::optional<report::Profile> profile = profile_of(run_dir);
  if (profile) add_profile(*profile, observed.run);
  std::string problem;
  const std::optional<double> value = value_of(figure, observed.run, output, profile, problem);
  if (value) {
    observed.run.value = *value;
  } else {
    observed.failure = PointFailure{outcome, problem, {}, {}};
  }
  return observed;
}

}  // namespace plait::sweep
