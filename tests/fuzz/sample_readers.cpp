// SPDX-License-Identifier: BSD-3-Clause
// Files of samples, samples.json and samples.times, as the report reads them.
#include "readers.hpp"
#include "report/computation.hpp"
#include "report/timeline_samples.hpp"
#include "samples/build_tree.hpp"
#include "samples/on_trace.hpp"
#include "samples/raw_samples.hpp"
#include "samples/sample_times.hpp"
#include "timed_tree.hpp"

namespace plait::fuzz {
namespace {

void use_tree(const samples::CallTree& tree) {
  report::Profile profile;
  profile.computation = report::computation_of(tree, 2);
  use(report::computation_lines(profile, {}));
}

/// Places the samples of a tree on a trace of two ranks, and counts them by phase.
void use_times(const samples::CallTree& tree) {
  trace::Trace trace;
  nlohmann::json timeline;
  for (int rank = 0; rank < 2; ++rank) {
    trace::Rank& of = trace.ranks.emplace_back();
    of.world_rank = rank;
    of.host = "n0";
    of.end = 1'000'000;
    of.streams.resize(1);
    of.streams[0].tid = 7;
    timeline["ranks"].push_back({{"streams", nlohmann::json::array({nlohmann::json::object()})}});
  }
  samples::TracedSamples placed{tree, samples::place_samples(tree, trace)};
  samples::count_phases(placed, {{"before", 0, 1e-7}, {"iterations 1", 1e-7, 1}}, 0);
  report::add_samples(trace, placed, timeline, 2);
  use(timeline.dump());
}

}  // namespace

void read_samples(Bytes bytes) {
  const std::filesystem::path file = write("samples.smp", bytes);
  samples::read_raw_samples(file, "/nowhere/app");
  trace::RankRecord record;
  record.file = file;
  record.world_rank = 0;
  const samples::CallTree tree = samples::build_call_tree({&record});
  use_tree(tree);
  use_times(tree);
  use(samples::to_json(tree).dump());
}

void read_call_tree(Bytes bytes) {
  use_tree(samples::read_call_tree(write("samples.json", bytes)));
}

void read_sample_times(Bytes bytes) {
  const std::filesystem::path run = empty_folder("run");
  samples::write_samples(timed_tree(), run);
  write("run/samples.times", bytes);
  use_times(samples::read_samples(run));
}

}  // namespace plait::fuzz
