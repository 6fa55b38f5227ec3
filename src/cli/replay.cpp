// SPDX-License-Identifier: BSD-3-Clause
// plait replay: predicts how long a traced or generated run takes on another network or layout.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/shell_word.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/large_blocks.hpp"
#include "cli/packed_trace.hpp"
#include "cli/replay_output.hpp"
#include "cli/replay_remap.hpp"
#include "cli/run_options.hpp"
#include "plait/error.hpp"
#include "processes/processes.hpp"
#include "report/finish.hpp"
#include "report/replayed_profile.hpp"
#include "text/progress.hpp"

namespace plait::cli {
namespace {

struct ReplayCommand {
  std::string run;
  std::vector<std::string> networks;
  replay::ReplayChanges changes;
  std::string generate;
  std::string run_to_write;
  std::string remap_machine, remap_interval = "2s";
  std::string memory_limit;
  JsonOutput json;
};

void refuse_to_write(const ReplayCommand& command) {
  if (command.run_to_write.empty()) return;
  if (!command.generate.empty()) {
    throw Error("a generated program has no trace to write; leave out --generate or --write-run");
  }
  if (command.networks.size() > 1) {
    throw Error("--write-run takes one network; give --network once");
  }
}

replay::ReplayedRun replayed(const ReplayCommand& command, Processes& processes) {
  Progress progress("replaying", processes.rank() != 0);
  const auto before = [&](const std::string& network) {
    progress.part("replaying on the network " + network);
  };
  if (!command.generate.empty()) {
    if (!command.run.empty()) {
      throw Error("a run directory and --generate cannot be used together; leave one of them out");
    }
    return replay::replay_generated(command.generate, command.changes, command.networks, before,
                                    &processes);
  }
  const std::filesystem::path directory = run_or_newest(command.run);
  progress.part("reading the trace");
  trace::Trace trace = trace::read_trace(directory);
  trace::cut_gaps(trace);
  trace::require_whole(trace, directory.string());
  trace::require_all_ranks(trace, directory.string(), "a replay");
  trace::EventTimes times;
  replay::ReplayChanges changes = command.changes;
  if (!command.run_to_write.empty()) changes.step_times = &times;
  replay::ReplayedRun run =
      replay::replay_trace(trace, changes, command.networks, before, &processes);
  if (processes.rank() != 0) return run;
  run.program = directory.string();
  if (!command.run_to_write.empty() && run.all_ended()) {
    progress.part("writing the replay");
    const std::string& network = run.networks.front().network.name;
    report::write_replayed_run(directory, trace, times, network, command.run_to_write);
    report::finish_run(command.run_to_write, true);
  }
  return run;
}

int run_remap(const ReplayCommand& command) {
  const RemapReplay replay =
      replay_remap(command.run, command.remap_machine, command.remap_interval);
  if (!write_json(command.json, remap_replay_to_json(replay))) {
    for (const std::string& line : remap_replay_lines(replay)) fmt::print("{}\n", line);
  }
  return 0;
}

int run_replay(const ReplayCommand& command, Processes& processes) {
  limit_memory(parse_memory_limit(command.memory_limit), processes.on_node());
  if (!command.remap_machine.empty()) return processes.rank() == 0 ? run_remap(command) : 0;
  refuse_to_write(command);
  const replay::ReplayedRun run = replayed(command, processes);
  if (processes.rank() != 0) return 0;
  if (!write_json(command.json, replay_to_json(run))) {
    for (const std::string& line : replay_lines(run)) fmt::print("{}\n", line);
    if (!command.json.file.empty()) fmt::print("result: {}\n", command.json.file);
    if (!command.run_to_write.empty() && run.all_ended()) {
      fmt::print("run: {}\nnext: {}\n", report::result_of(command.run_to_write),
                 command_text({"plait", "compare", run.program, command.run_to_write}));
    }
  }
  return run.all_ended() ? 0 : 1;
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
      .option("--placement", "NODES", options->changes.placement,
              "Node of each rank: 0-3:a,4-7:b or nodes=2[,cyclic]")
      .excludes("--mapping");
  command.option("--mapping", "RANKS", options->changes.mapping,
                 "Rank whose place each rank takes, in rank order: 0,2,1,3");
  command.option("--generate", "PROGRAM", options->generate,
                 "Replay a generated program instead of a run: "
                 "halo,ranks=64,nodes=4,compute=10ms,faces=112.5KiB, or "
                 "transposes,ranks=64,nodes=4,compute=10ms,bytes=3MiB");
  command.flag("--without-overhead", options->changes.without_overhead,
               "Subtract the cost of recording from computation");
  command
      .option("--write-run", "FOLDER", options->run_to_write,
              "Also write the replay as a run directory, which report, compare and export read")
      .completes(Complete::folder);
  command
      .option("--remap", "MACHINE", options->remap_machine,
              "Predict instead what plait run --remap would gain on nodes of this machine, as "
              "--machine of other commands names it")
      .excludes("--network")
      .excludes("--placement")
      .excludes("--mapping")
      .excludes("--generate")
      .excludes("--without-overhead")
      .excludes("--write-run");
  command.option("--interval", "TIME", options->remap_interval, "Interval of --remap")
      .defaults_to("2s")
      .needs("--remap");
  add_memory_limit(command, options->memory_limit);
  add_json_output(command, options->json, "the result");
  command.action([options] {
    return run_on_processes([&](Processes& processes) { return run_replay(*options, processes); });
  });
}

}  // namespace plait::cli
