// SPDX-License-Identifier: BSD-3-Clause
// plait predict cg, plait predict hpl: what nodes send each other, and what overlap would gain.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_file.hpp"
#include "base/quantity.hpp"
#include "cli/predict.hpp"
#include "model/communication_volume.hpp"
#include "model/overlap.hpp"
#include "plait/error.hpp"
#include "report/volume_report.hpp"

namespace plait::cli {
namespace {

struct VolumeOptions {
  std::vector<int> nodes{2, 4, 8};
  std::vector<int> cores{2};
  std::int64_t size = 0;
  std::int64_t block = 0;
  std::vector<std::string> compute;
  std::string communicate;
  std::string json;
};

report::VolumeLayout layout_of(const std::string& program, int nodes, int per_node) {
  const int processes = nodes * per_node;
  const model::NodeOfProcess mapping = model::block_mapping(processes, per_node);
  if (program == "hpl") {
    const model::Pattern grid = model::hpl_pattern(processes);
    return {grid.rows, grid.columns, model::hpl_volume(grid.rows, grid.columns, mapping)};
  }
  const model::Pattern pattern = model::cg_pattern(processes);
  return {pattern.rows, pattern.columns, model::volume(pattern, mapping)};
}

/// Viet et al. 2005, equations 2 and 7: cores that do not slow each other down.
report::OverlapTimes times_of(double compute_s, double communicate_s, int cores) {
  const model::SpeedTable speed = model::SpeedTable::linear(1, cores);
  model::StepWork work;
  work.cells = compute_s * cores;
  work.communicate_s = communicate_s;
  return {compute_s, communicate_s, model::blocking_time(work, speed, cores).s,
          model::tasks_time(work, speed, cores).s};
}

/// Of the case with that index; one value holds for all.
std::optional<report::OverlapTimes> times_of(const VolumeOptions& options, std::size_t at,
                                             int cores) {
  if (options.compute.empty()) return std::nullopt;
  const std::string& compute = options.compute[options.compute.size() == 1 ? 0 : at];
  return times_of(parse_seconds(compute), parse_seconds(options.communicate), cores);
}

double unit_bytes(const VolumeOptions& options) {
  constexpr double kDouble = 8;
  const double columns = options.block > 0 ? static_cast<double>(options.block) : 1;
  return kDouble * columns * static_cast<double>(options.size);
}

int predict_volume(const std::string& program, const VolumeOptions& options) {
  const std::size_t cases = options.nodes.size() * options.cores.size();
  if (options.compute.size() > 1 && options.compute.size() != cases) {
    throw Error("--compute",
                fmt::format("has {} times for {} cases", options.compute.size(), cases),
                "give one for all, or one for each");
  }
  report::VolumeReport report;
  report.program = program;
  report.unit_bytes = unit_bytes(options);
  for (const int nodes : options.nodes) {
    for (const int cores : options.cores) {
      report.cases.push_back({nodes, cores, layout_of(program, nodes, cores),
                              layout_of(program, nodes, 1),
                              times_of(options, report.cases.size(), cores)});
    }
  }
  const auto keep = nlohmann::json::error_handler_t::replace;
  if (options.json == "-") {
    fmt::print("{}\n", report::volume_to_json(report).dump(1, ' ', false, keep));
    return 0;
  }
  if (!options.json.empty()) {
    write_json_file(options.json, report::volume_to_json(report));
    report.result = options.json;
  }
  for (const std::string& line : report::volume_lines(report)) fmt::print("{}\n", line);
  return 0;
}

void add_program(CLI::App& predict, const std::string& program, const std::string& what,
                 int& exit_code) {
  const auto options = std::make_shared<VolumeOptions>();
  CLI::App* const command = predict.add_subcommand(program, what);
  command->add_option("--nodes", options->nodes, "Numbers of nodes: 2,4,8 (default)")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096));
  command->add_option("--cores", options->cores, "Cores of a node: 2 (default), or 2,4,8")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--size", options->size,
                   program == "cg" ? "Length n of the vector, for bytes"
                                   : "Columns of the matrix right of the diagonal block")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  if (program == "hpl") {
    command->add_option("--block", options->block, "Block size nb, for bytes")
        ->check(CLI::Range(1, 1 << 20));
  }
  CLI::Option* const compute =
      command
          ->add_option("--compute", options->compute,
                       "Time that a node computes on all its cores: 579s; one, or one a case")
          ->delimiter(',');
  CLI::Option* const communicate = command->add_option(
      "--communicate", options->communicate, "Time that one process a node communicates: 114s");
  compute->needs(communicate);
  communicate->needs(compute);
  command->add_option("--json", options->json, "Write the prediction here; - prints it instead");
  command->callback(
      [options, program, &exit_code] { exit_code = predict_volume(program, *options); });
}

}  // namespace

void add_predict_volume(CLI::App& predict, int& exit_code) {
  add_program(predict, "cg", "CG (NAS): what nodes send each other, what overlap gains", exit_code);
  add_program(predict, "hpl", "HPL: what nodes send each other, what overlap gains", exit_code);
}

}  // namespace plait::cli
