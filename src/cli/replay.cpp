// SPDX-License-Identifier: BSD-3-Clause
// plait replay: how long a traced run, or a generated one, would take on another network or layout.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/json_file.hpp"
#include "base/long_work.hpp"
#include "cli/commands.hpp"
#include "cli/packed_trace.hpp"
#include "cli/replay_output.hpp"
#include "plait/error.hpp"
#include "replay/layout_text.hpp"
#include "report/finish.hpp"
#include "trace/trace.hpp"

namespace plait::cli {
namespace {

struct ReplayCommand {
  std::string run;
  std::vector<std::string> networks;
  std::string placement;
  std::string mapping;
  std::string generate;
  std::string json;
  bool without_overhead = false;
};

/// The first rank's begin to the last one's end.
double recorded_seconds(const trace::Trace& trace) {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
  for (const trace::Rank& rank : trace.ranks) {
    if (rank.streams.empty()) continue;
    begin = std::min(begin, rank.begin);
    end = std::max(end, rank.end);
  }
  return end > begin ? static_cast<double>(end - begin) * 1e-9 : 0;
}

std::vector<std::uint32_t> nodes_of(const ReplayCommand& command, const trace::Trace& trace) {
  const auto ranks = static_cast<std::uint32_t>(trace.ranks.size());
  if (!command.placement.empty()) return replay::parse_placement(command.placement, ranks);
  if (command.mapping.empty()) return {};
  std::vector<std::uint32_t> recorded;
  for (const trace::Rank& rank : trace.ranks) recorded.push_back(rank.node);
  return replay::parse_mapping(command.mapping, recorded);
}

void replay_on_all(const ReplayCommand& command, replay::Program& program, ReplayReport& report) {
  report.ranks = program.ranks();
  std::set<std::uint32_t> nodes;
  for (std::uint32_t rank = 0; rank < report.ranks; ++rank) nodes.insert(program.node_of(rank));
  report.nodes = static_cast<std::uint32_t>(nodes.size());
  LongWork work("replaying");
  for (const std::string& spec : command.networks) {
    work.part("replaying on the network " + spec);
    ReplayedNetwork& of = report.networks.emplace_back();
    of.spec = spec;
    of.network = replay::open_network(spec);
    of.result = replay::replay_with_interval(program, of.network);
  }
}

ReplayReport replay_generated(const ReplayCommand& command) {
  if (!command.run.empty()) {
    throw Error(command.run, "a run and a generated program exclude each other",
                "leave out the run or --generate");
  }
  if (!command.placement.empty() || !command.mapping.empty()) {
    throw Error(command.generate, "a generated program has its own layout",
                "give nodes=.. in --generate, without --placement and --mapping");
  }
  ReplayReport report;
  report.program = command.generate;
  report.generated = true;
  const auto program = replay::halo_program(replay::parse_halo(command.generate));
  replay_on_all(command, *program, report);
  return report;
}

ReplayReport replay_run(const ReplayCommand& command) {
  const std::filesystem::path run =
      command.run.empty() ? report::newest_run("plait-runs") : std::filesystem::path(command.run);
  const trace::Trace trace = read_trace(run);
  ReplayReport report;
  report.program = run.string();
  report.recorded_s = recorded_seconds(trace);
  report.layout = command.placement.empty() ? command.mapping : command.placement;
  report.notes = trace.problems;
  replay::TraceProgramOptions options;
  options.nodes = nodes_of(command, trace);
  options.subtract_overhead = command.without_overhead;
  options.left_out = &report.left_out;
  const auto program = replay::program_of(trace, options);
  replay_on_all(command, *program, report);
  return report;
}

int run_replay(const ReplayCommand& command) {
  ReplayReport report = command.generate.empty() ? replay_run(command) : replay_generated(command);
  const auto keep = nlohmann::json::error_handler_t::replace;
  if (command.json == "-") {
    fmt::print("{}\n", replay_to_json(report).dump(1, ' ', false, keep));
  } else {
    if (!command.json.empty()) {
      write_json_file(command.json, replay_to_json(report));
      report.result = command.json;
    }
    for (const std::string& line : replay_lines(report)) fmt::print("{}\n", line);
  }
  const bool all_ended =
      std::all_of(report.networks.begin(), report.networks.end(),
                  [](const ReplayedNetwork& of) { return of.result.middle.stuck.empty(); });
  return all_ended ? 0 : 1;
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "replay", "Say how long a traced run would take on another network or layout");
  const auto options = std::make_shared<ReplayCommand>();
  options->networks = {"ideal"};
  command->add_option("run", options->run, "run directory (the newest under plait-runs)");
  command
      ->add_option("--network", options->networks,
                   "ideal (default), ideal:32KiB, machine, a machine or network file, or "
                   "latency=2us,bandwidth=10GB/s; may be given several times")
      ->take_all();
  CLI::Option* const placement = command->add_option(
      "--placement", options->placement, "Ranks on nodes: 0-3:a,4-7:b or nodes=2[,cyclic]");
  command->add_option("--mapping", options->mapping, "Which rank's place each rank takes: 0,2,1,3")
      ->excludes(placement);
  command->add_option("--generate", options->generate,
                      "No run but halo,ranks=64,nodes=4,compute=10ms,faces=112.5KiB");
  command->add_flag("--without-overhead", options->without_overhead,
                    "Subtract what recording cost from computation");
  command->add_option("--json", options->json, "Write the result there as JSON; -: print it");
  command->callback([options, &exit_code] { exit_code = run_replay(*options); });
}

}  // namespace plait::cli
