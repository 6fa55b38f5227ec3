// SPDX-License-Identifier: BSD-3-Clause
// What the launcher of a point's command says about it: ranks, settings, quarantine.
#include "sweep/launch.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "base/environment.hpp"
#include "base/secrets.hpp"
#include "base/split.hpp"
#include "launcher/command_options.hpp"
#include "plait/error.hpp"

namespace plait::sweep {
namespace {

/// Parses commands, and asks each launcher only once for its version.
class Launchers {
public:
  launcher::LaunchCommand parse(const std::vector<std::string>& command) {
    const std::size_t at = launcher::behind_wrappers(command, 0);
    if (at >= command.size()) return launcher::understand_command(command);
    auto known = known_.find(command[at]);
    if (known == known_.end()) {
      known = known_.emplace(command[at], launcher::identify_launcher(command[at])).first;
    }
    return launcher::parse_command(known->second, command, at);
  }

private:
  std::map<std::string, launcher::Launcher> known_;
};

/// Of the swept options those that the launcher gets, each with its values.
void add_options(const launcher::LaunchCommand& command, Point& point) {
  const auto begin = command.argv.begin();
  const auto program = begin + static_cast<std::ptrdiff_t>(command.applications.front().index);
  launcher::Plan plan;
  for (const std::string& text : point.options) {
    const std::vector<std::string> parts = split_at_blanks(text);
    if (std::find(begin, program, parts.front()) == program) continue;
    plan.launcher_options.insert(plan.launcher_options.end(), parts.begin(), parts.end());
  }
  for (std::string& setting : run::settings_of(plan)) point.settings.push_back(std::move(setting));
}

/// OMP_NUM_THREADS of a part; nothing if the command does not give it.
std::optional<int> threads_in(const launcher::LaunchCommand& command, std::size_t part) {
  const int threads =
      std::atoi(launcher::variable_in_part(command, part, "OMP_NUM_THREADS").c_str());
  return threads < 1 ? std::nullopt : std::optional(threads);
}

/// The parts of a job; empty if it has several and the command does not say how many ranks each
/// has.
std::vector<JobPart> parts_of(const launcher::LaunchCommand& command, int threads) {
  std::vector<JobPart> parts;
  if (!command.ranks && command.applications.size() > 1) return parts;
  for (std::size_t i = 0; i < command.applications.size(); ++i) {
    parts.push_back(
        {command.applications[i].ranks.value_or(1), threads_in(command, i).value_or(threads)});
  }
  return parts;
}

/// Ranks and threads of a point by its command.
void count_cores(const launcher::LaunchCommand& command, Point& point) {
  if (value_of(point, kThreads).empty()) point.threads = threads_in(command, 0).value_or(1);
  if (command.applications.size() > 1) point.parts = parts_of(command, point.threads);
  if (value_of(point, kRanks).empty() || !point.parts.empty()) {
    point.ranks = command.ranks.value_or(1);
  }
  for (const JobPart& part : point.parts) point.threads = std::max(point.threads, part.threads);
  check_cores(point);
}

/// Parameters other than `ranks` and `threads` that change the ranks or threads of a part.
std::vector<std::string> find_core_parameters(const Grid& grid, const Point& point,
                                              Launchers& launchers) {
  const std::vector<JobPart> parts = parts_of(launchers.parse(point.command), 1);
  std::vector<std::string> found;
  for (const auto& [name, text] : point.values) {
    const int number = std::atoi(text.c_str());
    if (name == kRanks || name == kThreads || number < 1 || parts.empty()) continue;
    Values changed = point.values;
    std::ranges::find(changed, name, &Values::value_type::first)->second =
        std::to_string(number + 1);
    if (parts_of(launchers.parse(command_with(grid, changed)), 1) != parts) found.push_back(name);
  }
  return found;
}

bool is_the_setting(const run::JobOutcome& outcome) {
  return outcome.kind == run::Outcome::hung || outcome.kind == run::Outcome::crashed ||
         outcome.kind == run::Outcome::refused;
}

}  // namespace

void complete_points(const std::vector<run::Quarantined>& quarantine, Grid& grid,
                     std::vector<Point>& points) {
  Launchers launchers;
  bool first = true;
  for (Point& point : points) {
    if (!point.left_out.empty()) continue;
    launcher::LaunchCommand command;
    try {
      command = launchers.parse(point.command);
    } catch (const Error& error) {
      point.left_out = error.what();
      continue;
    }
    count_cores(command, point);
    if (std::exchange(first, false)) {
      grid.core_parameters = find_core_parameters(grid, point, launchers);
    }
    add_options(command, point);
    const auto found = run::quarantined_in(quarantine, command.launcher, point.settings);
    if (!found.empty()) {
      point.left_out = "in quarantine: " + run::quarantine_sentence(found.front()) +
                       "; plait doctor --forget " + found.front().id;
    } else if (grid.most_cores && point.cores() > *grid.most_cores) {
      point.left_out = cores_sentence(point.cores(), *grid.most_cores);
    }
  }
}

std::vector<std::string> quarantine_failures(Sweep& sweep) {
  std::vector<std::string> sentences;
  Launchers launchers;
  for (SweepPoint& point : sweep.points) {
    if (!point.failure || !is_the_setting(point.failure->outcome)) continue;
    const std::vector<std::string>& settings = point.point.settings;
    const bool innocent = std::ranges::any_of(sweep.points, [&](const SweepPoint& other) {
      return !other.runs.empty() && other.point.settings == settings;
    });
    if (settings.empty() || innocent || !point.failure->quarantine.empty()) continue;
    const launcher::Launcher launcher = launchers.parse(point.point.command).launcher;
    run::Quarantined entry;
    entry.mpi = launcher::kind_name(launcher.kind);
    entry.version = launcher.version;
    entry.host = host_name();
    entry.settings = settings;
    entry.what = point.failure->outcome;
    entry.command = masked_arguments(point.point.command);
    const run::Quarantined put = run::put_into_quarantine(entry);
    point.failure->quarantine = put.id;
    sentences.push_back("In quarantine: " + run::quarantine_sentence(put) +
                        "; plait doctor --forget " + put.id);
  }
  return sentences;
}

}  // namespace plait::sweep
