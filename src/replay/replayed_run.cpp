// SPDX-License-Identifier: BSD-3-Clause
// A traced run, or a generated program, replayed on several networks.
#include "replay/replayed_run.hpp"

#include <algorithm>
#include <set>

#include "plait/error.hpp"
#include "replay/layout_text.hpp"

namespace plait::replay {
namespace {

std::vector<std::uint32_t> nodes_of(const ReplayChanges& changes, const trace::Trace& trace) {
  const auto ranks = static_cast<std::uint32_t>(trace.ranks.size());
  if (!changes.placement.empty()) return parse_placement(changes.placement, ranks);
  if (changes.mapping.empty()) return {};
  std::vector<std::uint32_t> recorded;
  for (const trace::Rank& rank : trace.ranks) recorded.push_back(rank.node);
  return parse_mapping(changes.mapping, recorded);
}

void replay_on_all(Program& program, const std::vector<std::string>& networks,
                   const BeforeNetwork& before, const ReplayWorkers& workers, ReplayedRun& run) {
  run.ranks = program.ranks();
  std::set<std::uint32_t> nodes;
  for (std::uint32_t rank = 0; rank < run.ranks; ++rank) nodes.insert(program.node_of(rank));
  run.nodes = static_cast<std::uint32_t>(nodes.size());
  for (const std::string& spec : networks) {
    before(spec);
    ReplayedNetwork& of = run.networks.emplace_back();
    of.spec = spec;
    of.network = open_network(spec);
    of.result = replay_with_interval(program, of.network, workers);
    for (const std::string& note : of.network.notes) run.notes.push_back(spec + ": " + note);
  }
}

}  // namespace

bool ReplayedRun::all_ended() const {
  return std::all_of(networks.begin(), networks.end(),
                     [](const ReplayedNetwork& of) { return of.result.middle.stuck.empty(); });
}

ReplayedRun replay_trace(const trace::Trace& trace, const ReplayChanges& changes,
                         const std::vector<std::string>& networks, const BeforeNetwork& before,
                         Processes* processes) {
  ReplayedRun run;
  run.recorded_s = trace::recorded_seconds(trace);
  run.layout = changes.placement.empty() ? changes.mapping : changes.placement;
  run.notes = trace.problems;
  TraceProgramOptions options;
  options.nodes = nodes_of(changes, trace);
  options.subtract_overhead = changes.without_overhead;
  options.other_threads = true;
  options.left_out = &run.left_out;
  const auto program = program_of(trace, options);
  options.left_out = nullptr;
  const ReplayWorkers workers{[&] { return program_of(trace, options); }, 0, processes};
  replay_on_all(*program, networks, before, workers, run);
  if (changes.step_times != nullptr && (processes == nullptr || processes->rank() == 0)) {
    ReplayOptions with_times;
    with_times.step_times = changes.step_times;
    program->rewind();
    replay(*program, run.networks.front().network, with_times);
  }
  return run;
}

ReplayedRun replay_generated(const std::string& program, const ReplayChanges& changes,
                             const std::vector<std::string>& networks, const BeforeNetwork& before,
                             Processes* processes) {
  if (!changes.placement.empty() || !changes.mapping.empty()) {
    throw Error(program, "a generated program has its own layout",
                "give nodes=... in --generate, and leave out --placement and --mapping");
  }
  ReplayedRun run;
  run.program = program;
  run.generated = true;
  const auto generated = generated_program(program);
  const ReplayWorkers workers{[&] { return generated_program(program); }, 0, processes};
  replay_on_all(*generated, networks, before, workers, run);
  return run;
}

}  // namespace plait::replay
