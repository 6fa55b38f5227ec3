// SPDX-License-Identifier: BSD-3-Clause
// plait replay: predicts how long a traced or generated run takes on another network or layout.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/long_work.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/packed_trace.hpp"
#include "cli/replay_output.hpp"
#include "cli/run_options.hpp"
#include "plait/error.hpp"
#include "replay/layout_text.hpp"
#include "trace/trace.hpp"

namespace plait::cli {
namespace {

struct ReplayCommand {
  std::string run;
  std::vector<std::string> networks;
  std::string placement;
  std::string mapping;
  std::string generate;
  JsonOutput json;
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
    throw Error("a run directory and --generate cannot be used together; leave one of them out");
  }
  if (!command.placement.empty() || !command.mapping.empty()) {
    throw Error(command.generate, "a generated program has its own layout",
                "give nodes=... in --generate, and leave out --placement and --mapping");
  }
  ReplayReport report;
  report.program = command.generate;
  report.generated = true;
  const auto program = replay::halo_program(replay::parse_halo(command.generate));
  replay_on_all(command, *program, report);
  return report;
}

ReplayReport replay_run(const ReplayCommand& command) {
  const std::filesystem::path run = run_or_newest(command.run);
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
  if (!write_json(command.json, replay_to_json(report))) {
    report.result = command.json.file;
    for (const std::string& line : replay_lines(report)) fmt::print("{}\n", line);
  }
  const bool all_ended =
      std::all_of(report.networks.begin(), report.networks.end(),
                  [](const ReplayedNetwork& of) { return of.result.middle.stuck.empty(); });
  return all_ended ? 0 : 1;
}

}  // namespace

void add_replay(Command& plait) {
  const auto options = std::make_shared<ReplayCommand>();
  options->networks = {"ideal"};
  Command& command = plait.add_command(
      "replay", "Predict a traced run's time on another network or layout", group::decide);
  add_run_argument(command, options->run);
  command
      .list("--network", "NETWORK", options->networks, "",
            "Network: ideal, ideal:32KiB (longer messages wait for their receive), machine, a "
            "machine or "
            "network file, or latency=2us,bandwidth=10GB/s; may be repeated")
      .defaults_to("ideal")
      .suggests({"ideal", "machine"});
  command
      .option("--placement", "NODES", options->placement,
              "Node of each rank: 0-3:a,4-7:b or nodes=2[,cyclic]")
      .excludes("--mapping");
  command.option("--mapping", "RANKS", options->mapping,
                 "Rank whose place each rank takes, in rank order: 0,2,1,3");
  command.option("--generate", "PROGRAM", options->generate,
                 "Replay a generated program instead of a run: "
                 "halo,ranks=64,nodes=4,compute=10ms,faces=112.5KiB");
  command.flag("--without-overhead", options->without_overhead,
               "Subtract the cost of recording from computation");
  add_json_output(command, options->json, "the result");
  command.action([options] { return run_replay(*options); });
}

}  // namespace plait::cli
