// SPDX-License-Identifier: BSD-3-Clause
// plait replay --remap: what moving ranks while they run would gain on a machine.
#include "cli/replay_remap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/run_options.hpp"
#include "machine/open_machine.hpp"
#include "run/run_directory.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"
#include "trace/trace.hpp"

namespace plait::cli {
namespace {

/// The slowest node decides how long the program takes.
double saved_of(const RemapReplay& replay) {
  double least = replay.nodes.empty() ? 0 : replay.nodes.front().saved_s;
  for (const remap::ReplayedMoves& node : replay.nodes) least = std::min(least, node.saved_s);
  return least;
}

double recorded_of(const RemapReplay& replay) {
  double longest = 0;
  for (const remap::ReplayedMoves& node : replay.nodes) {
    longest = std::max(longest, node.recorded_s);
  }
  return longest;
}

/// "save 120 ms", or "cost" for a negative time.
std::string gain_text(double saved_s) {
  return fmt::format("{} {}", saved_s < 0 ? "cost" : "save", format_seconds(std::abs(saved_s)));
}

std::string verdict_of(const RemapReplay& replay) {
  const bool moved = std::any_of(replay.nodes.begin(), replay.nodes.end(), [](const auto& node) {
    return !node.decisions.decisions.empty();
  });
  if (!moved) {
    return fmt::format("On {}, plait run --remap would move no rank.", replay.machine);
  }
  const double saved = saved_of(replay), recorded = recorded_of(replay);
  return fmt::format("On {}, plait run --remap is predicted to {} of {} ({}).", replay.machine,
                     gain_text(saved), format_seconds(recorded),
                     format_percent(std::abs(saved) / recorded));
}

}  // namespace

RemapReplay replay_remap(const std::string& run, const std::string& machine,
                         const std::string& interval) {
  RemapReplay replay;
  replay.interval_s = remap_interval(interval);
  replay.machine = machine;
  const machine::MachineFile file = machine::open_machine(machine);
  const std::filesystem::path directory = run_or_newest(run);
  replay.program = directory.string();
  trace::Trace trace = trace::read_trace(directory);
  trace::cut_gaps(trace);
  trace::require_whole(trace, replay.program);
  trace::require_all_ranks(trace, replay.program, "a replay");
  replay.nodes = remap::replay_moves(trace, file, replay.interval_s);
  return replay;
}

std::vector<std::string> remap_replay_lines(const RemapReplay& replay) {
  std::vector<std::string> lines = wrap(verdict_of(replay));
  for (const remap::ReplayedMoves& node : replay.nodes) {
    lines.emplace_back();
    if (replay.nodes.size() > 1) {
      lines.push_back(
          fmt::format("{}: predicted to {}", node.decisions.host, gain_text(node.saved_s)));
    }
    for (std::string& line : remap::remap_lines(node.decisions, "--json"))
      lines.push_back(std::move(line));
  }
  return lines;
}

nlohmann::json remap_replay_to_json(const RemapReplay& replay) {
  nlohmann::json nodes = nlohmann::json::array();
  for (const remap::ReplayedMoves& node : replay.nodes) {
    nlohmann::json json = remap::remap_to_json(node.decisions);
    json["recorded_s"] = node.recorded_s;
    json["saved_s"] = node.saved_s;
    nodes.push_back(std::move(json));
  }
  return {{"schema", "plait-replay-remap"},    {"schema_version", 1},
          {"plait_version", PLAIT_VERSION},    {"created", run::iso_now()},
          {"verdict", verdict_of(replay)},     {"program", replay.program},
          {"machine", replay.machine},         {"interval_s", replay.interval_s},
          {"recorded_s", recorded_of(replay)}, {"saved_s", saved_of(replay)},
          {"nodes", std::move(nodes)}};
}

}  // namespace plait::cli
