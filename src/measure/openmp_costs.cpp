// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of OpenMP constructs: starts the probe with each runtime, reads its samples.
#include "measure/openmp_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/layout.hpp"
#include "base/subprocess.hpp"
#include "measure/summarize.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::measure {
namespace {

/// Seconds beyond its own after which a run of the probe counts as hung.
constexpr double kStartSeconds = 10;

std::vector<std::pair<std::string, std::string>> environment_for(const std::vector<int>& pus) {
  return {{"OMP_NUM_THREADS", std::to_string(pus.size())},
          {"OMP_DYNAMIC", "false"},
          {"OMP_PLACES", fmt::format("{{{}}}", fmt::join(pus, "},{"))},
          {"OMP_PROC_BIND", "close"}};
}

std::string first_line(const std::string& text) {
  return fmt::format("{:.200}", text.substr(0, text.find('\n')));
}

machine::Statistic statistic_of(const OpenMpSamples::Series& series) {
  return summarize(series.us, series.disturbed);
}

/// Adds the samples of one run of the probe.
/// @return why there are none; else empty
std::string run_probe(const std::vector<std::string>& command, double limit_s,
                      const std::vector<int>& pus, OpenMpSamples& samples) {
  try {
    const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(limit_s * 1e3));
    const CommandResult run = run_command(command, limit, {}, environment_for(pus));
    if (run.timed_out) return "the program did not end and was killed";
    if (run.exit_code != 0) {
      return fmt::format("exit code {}: {}", run.exit_code, first_line(run.err));
    }
    if (!add_openmp_output(run.out, samples)) {
      return "its output is incomplete: " + first_line(run.out);
    }
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

std::vector<run::OmpRuntime> one_of_each(const std::vector<run::OmpRuntime>& runtimes) {
  std::vector<run::OmpRuntime> chosen;
  for (const run::OmpRuntime& runtime : runtimes) {
    if (std::ranges::find(chosen, runtime.name, &run::OmpRuntime::name) == chosen.end()) {
      chosen.push_back(runtime);
    }
  }
  return chosen;
}

bool add_openmp_output(const std::string& text, OpenMpSamples& samples) {
  OpenMpSamples read;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    OpenMpSamples::Series* const series = name == "start"     ? &read.start
                                          : name == "region"  ? &read.region
                                          : name == "barrier" ? &read.barrier
                                          : name == "task"    ? &read.task
                                                              : nullptr;
    if (series == nullptr || !(fields >> series->disturbed)) return false;
    series->us.assign(std::istream_iterator<double>(fields), {});
    if (!fields.eof()) return false;
  }
  const std::pair<const OpenMpSamples::Series*, OpenMpSamples::Series*> pairs[] = {
      {&read.start, &samples.start},
      {&read.region, &samples.region},
      {&read.barrier, &samples.barrier},
      {&read.task, &samples.task}};
  for (const auto& [from, to] : pairs) {
    if (from->us.empty()) return false;
  }
  for (const auto& [from, to] : pairs) {
    to->us.insert(to->us.end(), from->us.begin(), from->us.end());
    to->disturbed += from->disturbed;
  }
  return true;
}

OpenMpOutcome measure_openmp(const OpenMpRequest& request) {
  OpenMpOutcome outcome;
  std::vector<std::size_t> counts{2};
  if (request.pus.size() > 2) counts.push_back(request.pus.size());
  const std::string probe = (install_layout().libexec / "plait-openmp-probe").string();
  const double seconds = request.seconds / static_cast<double>(request.runtimes.size()) /
                         static_cast<double>(counts.size()) / request.starts;
  for (const run::OmpRuntime& runtime : request.runtimes) {
    for (const std::size_t count : counts) {
      const std::vector<int> pus(request.pus.begin(),
                                 request.pus.begin() + static_cast<std::ptrdiff_t>(count));
      const std::vector<std::string> command{probe, runtime.path, std::to_string(count),
                                             fmt::format("{:.6f}", seconds),
                                             fmt::format("{:.6f}", request.relative_width)};
      OpenMpSamples samples;
      std::string failure;
      for (int start = 0; start < request.starts && failure.empty(); ++start) {
        failure = run_probe(command, seconds + kStartSeconds, pus, samples);
      }
      if (!failure.empty()) {
        outcome.warnings.push_back(
            fmt::format("cost of OpenMP with {} ({}) and {} not measured: {}", runtime.name,
                        runtime.path, counted(count, "thread"), failure));
        continue;
      }
      outcome.costs.push_back({runtime.name, runtime.path, static_cast<int>(count),
                               statistic_of(samples.start), statistic_of(samples.region),
                               statistic_of(samples.barrier), statistic_of(samples.task)});
    }
  }
  return outcome;
}

}  // namespace plait::measure
