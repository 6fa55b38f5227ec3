// SPDX-License-Identifier: BSD-3-Clause
// plait report: shows where a run's time went, on the terminal, as JSON, as a page.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/large_blocks.hpp"
#include "cli/run_options.hpp"
#include "plait/error.hpp"
#include "processes/processes.hpp"
#include "report/analysis_lines.hpp"
#include "report/finish.hpp"
#include "report/map_lines.hpp"
#include "report/page.hpp"
#include "report/profile.hpp"
#include "report/terminal.hpp"
#include "report/transport_lines.hpp"
#include "text/progress.hpp"

namespace plait::cli {
namespace {

struct ReportOptions {
  std::string run;
  std::string html;
  std::string memory_limit;
  JsonOutput json;
  bool no_html = false;
  bool all_definitions = false;
};

/// A run directory as given, or the newest one; a profile.json or report.html names its directory.
std::filesystem::path run_directory(const std::string& given) {
  const std::filesystem::path path = run_or_newest(given);
  if (std::filesystem::is_regular_file(path)) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  }
  return path;
}

/// @returns why there is no page, or what is missing from it; empty: nothing
std::string write_page(const report::Profile& profile, const nlohmann::json& timeline,
                       const std::filesystem::path& run, const ReportOptions& options) {
  const std::filesystem::path file =
      options.html.empty() ? run / "report.html" : std::filesystem::path(options.html);
  try {
    return report::write_html(profile, run, file, nullptr, timeline);
  } catch (const Error& error) {
    // A page that the user requests must be written; the one in the run directory may be missing.
    if (!options.html.empty()) throw;
    return error.what();
  }
}

/// Analyses the trace, and writes the page.
report::TraceParts trace_parts(const std::filesystem::path& run, const report::Profile& profile,
                               const ReportOptions& options, Processes& processes,
                               std::string& page_left_out) {
  Progress progress("analysing the trace");
  report::TraceParts trace = report::open_trace_parts(run, profile, !options.no_html, processes);
  progress.part("writing the page");
  if (!options.no_html) page_left_out = write_page(profile, trace.timeline, run, options);
  return trace;
}

int report_run(const ReportOptions& options, Processes& processes) {
  limit_memory(parse_memory_limit(options.memory_limit), processes.on_node());
  if (processes.rank() != 0) {
    report::help_with_trace_parts(processes);
    return 0;
  }
  const std::filesystem::path run = run_directory(options.run);
  const report::Profile profile = report::open_run(run);
  std::string page_left_out;
  const report::TraceParts trace = trace_parts(run, profile, options, processes, page_left_out);
  if (!page_left_out.empty()) fmt::print(stderr, "plait: {}\n", page_left_out);
  if (write_json(options.json, report::profile_to_json(profile))) return 0;
  report::TerminalOptions terminal = report::terminal_options(stdout);
  terminal.result = options.html.empty() ? report::result_of(run) : options.html;
  terminal.traced = !trace.analysis.is_null();
  terminal.all_definitions = options.all_definitions;
  report::print_terminal(profile, stdout, terminal);
  if (!trace.analysis.is_null()) report::print_analysis(trace.analysis, stdout, terminal);
  for (const std::string& line : report::map_lines(report::read_map_decisions(run))) {
    fmt::print("{}\n", line);
  }
  for (const std::string& line : report::message_lines(run)) {
    fmt::print("{}\n", line);
  }
  if (!trace.problem.empty()) fmt::print(stderr, "plait: warning: {}\n", trace.problem);
  return 0;
}

}  // namespace

void add_report(Command& plait) {
  const auto options = std::make_shared<ReportOptions>();
  Command& command = plait.add_command(
      "report", "Show where a run's time went, and write its HTML page", group::explain);
  add_run_argument(command, options->run);
  add_json_output(command, options->json, "the profile");
  command.option("--html", "FILE", options->html, "Write the HTML page to this file")
      .defaults_to("RUN/report.html")
      .completes(Complete::file);
  command.flag("--all-definitions", options->all_definitions,
               "Show efficiencies by all definitions, and calls also by ITAC's size classes");
  command.flag("--no-html", options->no_html, "Do not write the HTML page");
  add_memory_limit(command, options->memory_limit);
  command.action([options] {
    return run_on_processes([&](Processes& processes) { return report_run(*options, processes); });
  });
}

}  // namespace plait::cli
