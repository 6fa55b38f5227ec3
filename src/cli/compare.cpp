// SPDX-License-Identifier: BSD-3-Clause
// plait compare: shows what changed between two runs or sweeps, or several runs of each side.
#include "report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "launcher/launcher.hpp"
#include "machine/open_machine.hpp"
#include "plait/error.hpp"
#include "report/compare_machines.hpp"
#include "report/compare_output.hpp"
#include "report/finish.hpp"
#include "report/page.hpp"
#include "report/trace_parts.hpp"
#include "samples/call_tree.hpp"
#include "sweep/compare_sweeps.hpp"
#include "sweep/sweep_file.hpp"
#include "text/progress.hpp"

namespace plait::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> runs;
  std::vector<std::string> with;
  std::string html;
  JsonOutput json;
};

report::TraceParts trace_parts(const std::string& run, const report::Profile& profile,
                               bool with_timeline) {
  const Progress progress("analysing the trace of " + run);
  Processes alone;
  return report::open_trace_parts(run, profile, with_timeline, alone);
}

/// The program of a command and its arguments, without launcher and wrappers; empty: unknown.
std::vector<std::string> program_of(const std::vector<std::string>& command) {
  try {
    const launcher::LaunchCommand understood = launcher::understand_command(command);
    if (!understood.applications.empty()) return understood.applications.front().argv;
  } catch (const Error&) {
    // The run's launcher is not known on this system.
  }
  return {};
}

/// @param timeline  gets that of the first run's trace; null: not wanted
report::Side side_of(const std::vector<std::string>& directories, nlohmann::json* timeline) {
  report::Side side;
  side.name = directories.size() == 1 ? directories[0] : fmt::format("{} runs", directories.size());
  for (const std::string& directory : directories) {
    side.runs.push_back(report::open_run(directory));
    const bool shows_it = timeline != nullptr && side.runs.size() == 1;
    const report::TraceParts parts = trace_parts(directory, side.runs.back(), shows_it);
    if (shows_it) *timeline = parts.timeline;
    if (!parts.problem.empty()) fmt::print(stderr, "plait: {}: {}\n", directory, parts.problem);
    side.analyses.push_back(parts.analysis);
    const std::filesystem::path sampled = samples::call_tree_file(directory);
    if (std::filesystem::exists(sampled)) side.samples.push_back(samples::read_call_tree(sampled));
  }
  side.program = program_of(side.runs.front().command);
  return side;
}

bool is_machine_file(const std::string& path) {
  return std::filesystem::path(path).extension() == ".json";
}

int compare_machines(const CompareOptions& options) {
  const std::string& a = options.runs[0];
  const std::string& b = options.runs[1];
  if (!options.html.empty()) {
    throw Error("--html", "machine files have no page", "leave it out");
  }
  const report::MachineComparison comparison =
      report::compare_machines(a, machine::open_machine(a), b, machine::open_machine(b));
  if (write_json(options.json, report::machines_to_json(comparison))) return 0;
  for (const std::string& line : report::machines_lines(comparison)) fmt::print("{}\n", line);
  return 0;
}

int compare_sweeps(const CompareOptions& options) {
  if (!options.html.empty()) throw Error("--html", "compared sweeps have no page", "leave it out");
  const std::string& a = options.runs[0];
  const std::string& b = options.runs[1];
  const sweep::SweepComparison comparison =
      sweep::compare_sweeps(a, sweep::load_sweep(a), b, sweep::load_sweep(b));
  if (write_json(options.json, sweep::comparison_to_json(comparison))) return 0;
  for (const std::string& line : sweep::comparison_lines(comparison)) fmt::print("{}\n", line);
  return 0;
}

int compare(CompareOptions options) {
  const bool two = options.with.empty() && options.runs.size() == 2;
  if (two && std::ranges::all_of(options.runs, is_machine_file)) return compare_machines(options);
  if (two && std::ranges::all_of(options.runs, sweep::is_sweep)) return compare_sweeps(options);
  if (options.with.empty()) {
    if (options.runs.size() != 2) {
      throw Error(
          "plait compare needs two run directories; to compare several runs of each side, use "
          "plait compare A... --with B...");
    }
    options.with = {options.runs.back()};
    options.runs.pop_back();
  }
  nlohmann::json timelines;
  const bool page = !options.html.empty();
  const report::Side a = side_of(options.runs, page ? &timelines["a"] : nullptr);
  const report::Side b = side_of(options.with, page ? &timelines["b"] : nullptr);
  const report::Comparison comparison = report::compare_runs(a, b);
  const nlohmann::json value = report::comparison_to_json(comparison);
  if (page) {
    nlohmann::json with_timelines = value;
    with_timelines["timelines"] = std::move(timelines);
    if (!comparison.functions.empty()) {
      with_timelines["samples"] = {{"a", samples::to_json(a.samples.front())},
                                   {"b", samples::to_json(b.samples.front())}};
    }
    const std::string left_out =
        report::write_html(b.runs.front(), options.with.front(), options.html, with_timelines);
    if (!left_out.empty()) fmt::print(stderr, "plait: {}\n", left_out);
  }
  if (write_json(options.json, value)) return 0;
  for (const std::string& line :
       report::comparison_lines(comparison, report::terminal_options(stdout))) {
    fmt::print("{}\n", line);
  }
  return 0;
}

}  // namespace

void add_compare(Command& plait) {
  const auto options = std::make_shared<CompareOptions>();
  Command& command = plait.add_command(
      "compare", "Show what changed between runs, sweeps or machines", group::explain);
  command
      .arguments(
          "RUN", options->runs,
          "Two run directories, A and B; with --with: all runs of A; or two sweeps or machine "
          "files")
      .required()
      .completes(Complete::folder);
  command
      .option(
          "--with", "RUN", [options](const std::string& run) { options->with.push_back(run); },
          "Run directories of B, if A or B has several runs")
      .greedy()
      .completes(Complete::folder);
  add_json_output(command, options->json, "the comparison");
  command.option("--html", "FILE", options->html, "Write the comparison as an HTML page")
      .completes(Complete::file);
  command.example("plait compare before after");
  command.example("plait compare node0.json node1.json");
  command.example("plait compare plait-sweeps/before plait-sweeps/after");
  command.example("plait compare before-1 before-2 --with after-1 after-2");
  command.action([options] { return compare(*options); });
}

}  // namespace plait::cli
