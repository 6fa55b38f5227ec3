// SPDX-License-Identifier: BSD-3-Clause
// The output of plait apply: the verdict, measured beside predicted times, JSON.
#include "cli/apply_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "advise/observed.hpp"
#include "base/environment.hpp"
#include "base/secrets.hpp"
#include "base/shell_word.hpp"
#include "base/statistics.hpp"
#include "machine/machine_file.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::cli {
namespace {

using advise::ApplyReport;
using advise::predicted_ratio;
using nlohmann::json;

std::string plan_name(const ApplyReport& report) {
  return report.plan.name.empty() ? "the new command" : report.plan.name;
}

std::string ratio_of(const MedianInterval& of) {
  return format_interval(of.median, of.low, of.high, format_ratio);
}

std::string predicted_text(const ApplyReport& report) {
  const auto predicted = predicted_ratio(report.plan);
  if (!predicted) return "; nothing was predicted";
  const std::string of = report.plan.predicted_of.empty() ? "" : " of " + report.plan.predicted_of;
  return fmt::format("; predicted{}: {}", of, ratio_of(*predicted));
}

std::string failure_verdict(const ApplyReport& report, const advise::TrialFailure& failure) {
  const std::string where =
      failure.pair == 0 ? "in its first run" : fmt::format("in run {}", failure.pair);
  if (failure.command == 0) {
    return fmt::format("Not kept: the original command failed {}: {}", where, failure.problem);
  }
  std::string text =
      fmt::format("Not kept: {} failed {}: {}", plan_name(report), where, failure.problem);
  std::vector<std::string> settings;
  for (const run::Quarantined& entry : report.quarantined) {
    settings.push_back(
        fmt::format("{} ({})", fmt::join(entry.settings, " "), run::outcome_name(entry.what.kind)));
  }
  if (!settings.empty()) text += fmt::format(". In quarantine: {}", fmt::join(settings, "; "));
  return text;
}

std::vector<double> column(const ApplyReport& report, std::size_t which) {
  std::vector<double> seconds;
  for (const auto& pair : report.trials.seconds) seconds.push_back(pair[which]);
  return seconds;
}

/// The median and the range of times.
void add_times(const std::string& name, const std::vector<double>& seconds, Table& table) {
  const auto [low, high] = std::minmax_element(seconds.begin(), seconds.end());
  table.add({name, format_seconds(median(seconds)), format_range(*low, *high, format_seconds)});
}

/// A ratio, its interval and what the interval is.
void add_ratio(const std::string& name, const MedianInterval& of, const std::string& remark,
               Table& table) {
  const std::string range = format_range(of.low, of.high, format_ratio);
  table.add({name, format_ratio(of.median), range + (remark.empty() ? "" : " (" + remark + ")")});
}

void add_table(const ApplyReport& report, std::vector<std::string>& lines) {
  if (report.trials.seconds.empty()) return;
  lines.emplace_back();
  lines.push_back(fmt::format("{} of alternating runs, {}: median, lowest to highest",
                              counted(report.trials.seconds.size(), "pair"), report.timed));
  Table table({text_column(""), number_column(""), text_column("", truncate)});
  add_times("before", column(report, 0), table);
  add_times("after", column(report, 1), table);
  const MedianInterval ratio = paired_ratio(report.trials.seconds);
  add_ratio("ratio", ratio, ratio.covers ? "95 % interval" : "too few for an interval", table);
  if (const auto predicted = predicted_ratio(report.plan)) {
    add_ratio("predicted", *predicted, report.plan.predicted_of, table);
  }
  for (std::string& line : table.lines()) lines.push_back(std::move(line));
}

/// The path relative to the current folder if that is shorter.
std::string path_text(const std::string& path) {
  const std::string near = std::filesystem::proximate(path).string();
  return near.size() < path.size() ? near : path;
}

void add_lines(const std::vector<std::string>& more, std::vector<std::string>& lines) {
  lines.insert(lines.end(), more.begin(), more.end());
}

/// A command that can be copied into a shell.
void add_command(const char* label, const std::vector<std::string>& command,
                 std::vector<std::string>& lines) {
  std::vector<std::string> arguments;
  for (const std::string& argument : command) arguments.push_back(shell_word(argument));
  add_lines(wrap_command(label, arguments), lines);
}

json interval_json(const MedianInterval& of) {
  return {{"value", of.median}, {"low", of.low}, {"high", of.high}};
}

const char* outcome_name(const ApplyReport& report) {
  if (report.trials.failure) return "failed";
  switch (report.comparison) {
    case Comparison::faster:
      return "faster";
    case Comparison::slower:
      return "slower";
    case Comparison::undecided:
      break;
  }
  return "undecided";
}

json failure_json(const std::optional<advise::TrialFailure>& failure) {
  if (!failure) return nullptr;
  return {{"command", failure->command == 0 ? "before" : "after"},
          {"pair", failure->pair},
          {"ending", run::outcome_name(failure->outcome.kind)},
          {"exit_code", failure->outcome.exit_code},
          {"problem", failure->problem}};
}

}  // namespace

std::string apply_verdict(const ApplyReport& report) {
  if (report.trials.failure) return failure_verdict(report, *report.trials.failure);
  if (report.trials.seconds.empty() && !report.trials.disturbed.empty()) {
    return fmt::format(
        "Undecided, and not kept: other programs disturbed all {}; try again when the machine is "
        "quiet",
        counted(report.trials.disturbed.size(), "pair of runs", "pairs of runs"));
  }
  const MedianInterval ratio = paired_ratio(report.trials.seconds);
  const std::size_t pairs = report.trials.seconds.size();
  if (!ratio.covers) {
    return fmt::format("Not kept: {} too few for an interval; --repeat {} or more",
                       counted(pairs, "pair of runs is", "pairs of runs are"), kFewestForInterval);
  }
  if (report.comparison == Comparison::faster) {
    return fmt::format("Kept: {} is {} times as fast as before{}.", plan_name(report),
                       ratio_of(ratio), predicted_text(report));
  }
  return fmt::format(
      "{}: measured {} times as fast as before{}.",
      report.comparison == Comparison::slower ? "Not kept" : "Undecided, and not kept",
      format_range(ratio.low, ratio.high, format_ratio), predicted_text(report));
}

std::vector<std::string> apply_lines(const ApplyReport& report) {
  std::vector<std::string> lines = wrap(printable(apply_verdict(report), true));
  add_table(report, lines);
  lines.emplace_back();
  if (!report.seen.empty() && !report.trials.failure) {
    add_lines(wrap_beside("Seen: ", report.seen), lines);
  }
  for (const std::string& note : report.notes) add_lines(wrap_beside("note: ", note), lines);
  add_command("Before: ", report.before, lines);
  add_command("After:  ", report.after, lines);
  lines.push_back("Output: " + path_text(report.folder));
  if (!report.result.empty()) lines.push_back("JSON:   " + path_text(report.result));
  if (!report.page.empty()) lines.push_back("Page:   " + path_text(report.page));
  if (!report.kept_file.empty()) {
    lines.push_back("Plan:   " + report.kept_file);
    if (advise::needs_records(report.plan)) {
      std::vector<std::string> start{"plait", "run", "--tuned=" + report.kept_file, "--"};
      start.insert(start.end(), report.before.begin(), report.before.end());
      add_command("Next: ", start, lines);
    } else {
      lines.push_back("Next: start the program with the command beside \"After:\"");
    }
  } else if (!report.quarantined.empty()) {
    lines.push_back(fmt::format("Next: plait doctor lists the quarantine; plait doctor --forget {}",
                                report.quarantined.front().id));
  } else {
    lines.emplace_back("Next: keep the original command, or look for other plans: plait advise");
  }
  return lines;
}

std::vector<std::string> interrupted_lines(const ApplyReport& report) {
  const std::size_t pairs = report.trials.seconds.size();
  std::vector<std::string> lines{
      fmt::format("Interrupted after {}: nothing was decided, and no plan was kept.",
                  counted(pairs, "pair of runs", "pairs of runs"))};
  add_table(report, lines);
  lines.emplace_back();
  lines.push_back("Output: " + path_text(report.folder));
  return lines;
}

json apply_to_json(const ApplyReport& report) {
  json value = {
      {"schema", "plait-apply"},
      {"schema_version", 1},
      {"plait_version", PLAIT_VERSION},
      {"created", machine::utc_now()},
      {"host", host_name()},
      {"verdict", apply_verdict(report)},
      {"plan", {{"name", report.plan.name}, {"file", report.plan_file}}},
      {"before", masked_arguments(report.before)},
      {"after", masked_arguments(report.after)},
      {"timed", report.timed},
      {"same_output", report.same_output},
      {"limit_s", report.trials.limit_s},
      {"pairs", json::array()},
      {"disturbed_pairs", report.trials.disturbed.size()},
      {"other_cpus", {{"before", report.trials.others[0]}, {"after", report.trials.others[1]}}},
      {"outcome", outcome_name(report)},
      {"failure", failure_json(report.trials.failure)},
      {"quarantined", json::array()},
      {"kept", !report.kept_file.empty()},
      {"kept_plan", report.kept_file},
      {"folder", report.folder},
      {"notes", report.notes}};
  value["seen"] = report.seen.empty() ? json(nullptr) : json(report.seen);
  for (const auto& [before, after] : report.trials.seconds) {
    value["pairs"].push_back({{"before_s", before}, {"after_s", after}});
  }
  value["ratio"] = nullptr;
  if (!report.trials.seconds.empty()) {
    const MedianInterval ratio = paired_ratio(report.trials.seconds);
    if (ratio.covers) value["ratio"] = interval_json(ratio);
  }
  const auto predicted = predicted_ratio(report.plan);
  value["predicted"] = predicted ? interval_json(*predicted) : json(nullptr);
  value["predicted_of"] = report.plan.predicted_of;
  for (const run::Quarantined& entry : report.quarantined) {
    value["quarantined"].push_back({{"id", entry.id},
                                    {"settings", entry.settings},
                                    {"ending", run::outcome_name(entry.what.kind)},
                                    {"words", entry.what.message}});
  }
  return value;
}

}  // namespace plait::cli
