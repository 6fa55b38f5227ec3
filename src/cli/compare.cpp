// SPDX-License-Identifier: BSD-3-Clause
// plait compare: what changed between two runs, or between several runs of each side.
#include "report/compare.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/long_work.hpp"
#include "cli/commands.hpp"
#include "plait/error.hpp"
#include "report/finish.hpp"
#include "report/page.hpp"
#include "report/trace_parts.hpp"

namespace plait::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> runs;
  std::vector<std::string> with;
  std::string html;
  bool json = false;
};

report::TraceParts trace_parts(const std::string& run, const report::Profile& profile) {
  const LongWork work("analysing the trace of " + run);
  return report::open_trace_parts(run, profile, false);
}

report::Side side_of(const std::vector<std::string>& directories) {
  report::Side side;
  side.name = directories.size() == 1 ? directories[0] : fmt::format("{} runs", directories.size());
  for (const std::string& directory : directories) {
    side.runs.push_back(report::open_run(directory));
    const report::TraceParts parts = trace_parts(directory, side.runs.back());
    if (!parts.problem.empty()) fmt::print(stderr, "plait: {}: {}\n", directory, parts.problem);
    side.analyses.push_back(parts.analysis);
  }
  return side;
}

int compare(CompareOptions options) {
  if (options.with.empty()) {
    if (options.runs.size() != 2) {
      throw Error("compare", "takes two runs",
                  "several of each side: plait compare A... --with B...");
    }
    options.with = {options.runs.back()};
    options.runs.pop_back();
  }
  const report::Side a = side_of(options.runs);
  const report::Side b = side_of(options.with);
  const report::Comparison comparison = report::compare_runs(a, b);
  const nlohmann::json value = report::comparison_to_json(comparison);
  if (!options.html.empty()) {
    const std::string left_out =
        report::write_html(b.runs.front(), options.with.front(), options.html, value);
    if (!left_out.empty()) fmt::print(stderr, "plait: {}\n", left_out);
  }
  if (options.json) {
    const auto keep = nlohmann::json::error_handler_t::replace;
    fmt::print("{}\n", value.dump(1, ' ', false, keep));
    return 0;
  }
  for (const std::string& line :
       report::comparison_lines(comparison, report::terminal_options(stdout))) {
    fmt::print("{}\n", line);
  }
  return 0;
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("compare", "Say what changed between runs");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("runs", options->runs, "two run directories, A and B; or those of A")
      ->required();
  command->add_option("--with", options->with, "run directories of B");
  command->add_flag("--json", options->json, "print the comparison as JSON");
  command->add_option("--html", options->html, "write B's page with the comparison here");
  command->callback([options, &exit_code] { exit_code = compare(*options); });
}

}  // namespace plait::cli
