// SPDX-License-Identifier: BSD-3-Clause
// Files of samples, samples.json and samples.times, as the report and exports read them.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <sstream>

#include "base/json_file.hpp"
#include "export/samples.hpp"
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

/// A line is a stack, a blank and a number; none has control characters.
void check_folded(const std::string& text, std::uint64_t samples) {
  std::istringstream in(text);
  std::uint64_t sum = 0;
  for (std::string line; std::getline(in, line);) {
    const std::size_t blank = line.rfind(' ');
    if (blank == line.npos || !line.starts_with("rank ")) fail("not a folded stack", line);
    if (std::ranges::any_of(line, [](char c) { return c >= 0 && c < ' '; })) {
      fail("a control character in a folded stack", line);
    }
    std::uint64_t number = 0;
    const char* const end = line.data() + line.size();
    const auto [rest, error] = std::from_chars(line.data() + blank + 1, end, number);
    if (error != std::errc() || rest != end) fail("no number in a folded stack", line);
    sum += number;
  }
  if (sum != samples) fail("folded stacks are not complete", std::to_string(sum));
}

/// Each stack has frames that exist, and a time.
void check_speedscope(const std::string& text) {
  const nlohmann::json file = nlohmann::json::parse(text);
  const std::size_t frames = file.at("shared").at("frames").size();
  for (const auto& profile : file.at("profiles")) {
    if (profile.at("samples").size() != profile.at("weights").size()) {
      fail("stacks without weights", text);
    }
    for (const auto& weight : profile.at("weights")) {
      if (!weight.is_number() || weight.get<double>() < 0) fail("not a weight", weight.dump());
    }
    for (const auto& stack : profile.at("samples")) {
      for (const auto& frame : stack) {
        if (frame.get<std::size_t>() >= frames) fail("not a frame", frame.dump());
      }
    }
  }
}

void export_tree(const samples::CallTree& tree) {
  const std::filesystem::path file = folder() / "samples.export";
  std::uint64_t samples = 0;
  for (const samples::NodeCount& count : tree.counts) samples += count.samples;
  for (const exports::SampleFormat& format : exports::sample_formats()) {
    format.write({tree, {false, true}, file, true});
    format.write({tree, {}, file, true});
    const std::string text = read_text_file(file);
    if (format.name == std::string("folded")) check_folded(text, samples);
    if (format.name == std::string("speedscope")) check_speedscope(text);
  }
}

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
    timeline["ranks"].push_back(
        {{"rank", rank}, {"streams", nlohmann::json::array({nlohmann::json::object()})}});
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
  const nlohmann::json value = samples::to_json(tree);
  use(value.dump());
  export_tree(samples::call_tree_from_json(value, (folder() / "samples.json").string()));
  use_times(tree);
}

void read_call_tree(Bytes bytes) {
  const samples::CallTree tree = samples::read_call_tree(write("samples.json", bytes));
  use_tree(tree);
  export_tree(tree);
}

void read_sample_times(Bytes bytes) {
  const std::filesystem::path run = empty_folder("run");
  samples::write_samples(timed_tree(), run);
  write("run/samples.times", bytes);
  use_times(samples::read_samples(run));
}

}  // namespace plait::fuzz
