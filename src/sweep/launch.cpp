// SPDX-License-Identifier: BSD-3-Clause
// What the launcher of a point's command says about it: ranks, settings, quarantine.
#include "sweep/launch.hpp"

#include <algorithm>
#include <map>

#include "base/environment.hpp"
#include "base/secrets.hpp"
#include "base/split.hpp"
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

bool is_the_setting(const run::JobOutcome& outcome) {
  return outcome.kind == run::Outcome::hung || outcome.kind == run::Outcome::crashed ||
         outcome.kind == run::Outcome::refused;
}

}  // namespace

void complete_points(const Grid& grid, const std::vector<run::Quarantined>& quarantine,
                     std::vector<Point>& points) {
  Launchers launchers;
  const bool has_ranks = std::ranges::any_of(
      points, [](const Point& point) { return !value_of(point, kRanks).empty(); });
  for (Point& point : points) {
    if (!point.left_out.empty()) continue;
    launcher::LaunchCommand command;
    try {
      command = launchers.parse(point.command);
    } catch (const Error& error) {
      point.left_out = error.what();
      continue;
    }
    if (!has_ranks) point.ranks = command.ranks.value_or(1);
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
