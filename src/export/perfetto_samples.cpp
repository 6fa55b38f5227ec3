// SPDX-License-Identifier: BSD-3-Clause
// Sampled call stacks in Perfetto's protobuf format: a PerfSample for each, with interned stacks.
//
// Field numbers are those of Perfetto's protos/perfetto/trace: profiling/profile_packet.proto,
// profiling/profile_common.proto, interned_data.proto, track_event/thread_descriptor.proto.
#include "export/perfetto_samples.hpp"

#include <algorithm>

#include "export/event_text.hpp"
#include "export/samples.hpp"

namespace plait::exports {
namespace {

namespace interned_stacks {  // InternedData
constexpr std::uint32_t kFunctionNames = 5, kFrames = 6, kCallstacks = 7, kMappingPaths = 17,
                        kSourcePaths = 18, kMappings = 19;
}
namespace frame_field {
constexpr std::uint32_t kIid = 1, kFunctionName = 2, kMapping = 3, kAddress = 4, kSourcePath = 5,
                        kLine = 6;
}
namespace mapping_field {
constexpr std::uint32_t kIid = 1, kStart = 4, kEnd = 5, kPath = 7;
}
namespace callstack_field {
constexpr std::uint32_t kIid = 1, kFrame = 2;
}
namespace thread_field {  // ThreadDescriptor
constexpr std::uint32_t kPid = 1, kTid = 2, kName = 5;
}
namespace perf_sample {
constexpr std::uint32_t kCpu = 1, kPid = 2, kTid = 3, kCallstack = 4, kCpuMode = 5;
constexpr std::uint64_t kUserMode = 2;
}  // namespace perf_sample

/// Made-up addresses of modules are this far apart.
constexpr unsigned kModuleShift = 32;
/// Instead of the function of a node, for samples of threads that waited for a CPU.
constexpr int kWaitingFunction = -1;

}  // namespace

PerfettoSamples::PerfettoSamples(const Request& request) : request_(request) {
  if (request.samples == nullptr) return;
  // The main thread of a process has its number; those of others are behind all processes'.
  std::uint64_t next = process_number(static_cast<std::uint32_t>(request.trace.ranks.size()));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> of_streams;
  for (const samples::SampledLane& lane : request.samples->lanes) {
    std::uint64_t number = lane.stream == 0 ? process_number(lane.rank) : next++;
    if (lane.stream != trace::kNone) {
      number = of_streams.try_emplace({lane.rank, lane.stream}, number).first->second;
    }
    thread_numbers_.push_back(number);
  }
}

bool PerfettoSamples::is_selected(const samples::SampledLane& lane) const {
  return request_.selection.has_rank(lane.rank);
}

std::uint64_t PerfettoSamples::name(Protobuf& data, std::uint32_t list, const std::string& text) {
  const auto [at, is_new] = names_.try_emplace({list, text}, names_.size() + 1);
  if (is_new) {
    Protobuf one;
    one.varint(1, at->second);
    one.text(2, text);
    data.message(list, one);
  }
  return at->second;
}

std::uint64_t PerfettoSamples::mapping(Protobuf& data, const std::string& module) {
  const auto [at, is_new] = mappings_.try_emplace(module, mappings_.size() + 1);
  if (is_new) {
    Protobuf one;
    one.varint(mapping_field::kIid, at->second);
    one.varint(mapping_field::kStart, at->second << kModuleShift);
    one.varint(mapping_field::kEnd, (at->second + 1) << kModuleShift);
    one.varint(mapping_field::kPath, name(data, interned_stacks::kMappingPaths, module));
    data.message(interned_stacks::kMappings, one);
  }
  return at->second;
}

std::uint64_t PerfettoSamples::frame(Protobuf& data, int function, int line) {
  const auto [at, is_new] = frames_.try_emplace({function, line}, frames_.size() + 1);
  if (!is_new) return at->second;
  const samples::Function waiting{kWaitingFrame, kWaitingFrame, "", 0, "", "system"};
  const samples::Function& of =
      function == kWaitingFunction
          ? waiting
          : request_.samples->tree.functions[static_cast<std::size_t>(function)];
  Protobuf one;
  one.varint(frame_field::kIid, at->second);
  one.varint(frame_field::kFunctionName, name(data, interned_stacks::kFunctionNames, of.name));
  one.varint(frame_field::kMapping, mapping(data, of.module.empty() ? of.kind : of.module));
  one.varint(frame_field::kAddress, at->second);
  if (!of.file.empty()) {
    one.varint(frame_field::kSourcePath, name(data, interned_stacks::kSourcePaths, of.file));
    if (line > 0) one.varint(frame_field::kLine, static_cast<std::uint64_t>(line));
  }
  data.message(interned_stacks::kFrames, one);
  return at->second;
}

void PerfettoSamples::stack(Protobuf& data, int node, bool waiting) {
  const auto [at, is_new] = stacks_.try_emplace({node, waiting}, stacks_.size() + 1);
  if (!is_new) return;
  const samples::CallTree& tree = request_.samples->tree;
  std::vector<std::uint64_t> frames;
  if (waiting) frames.push_back(frame(data, kWaitingFunction, 0));
  for (const int of : stack_of(tree, node)) {
    const samples::CallNode& one = tree.nodes[static_cast<std::size_t>(of)];
    frames.push_back(frame(data, one.function, one.line));
  }
  Protobuf stack;
  stack.varint(callstack_field::kIid, at->second);
  // The outermost frame comes first.
  std::ranges::for_each(frames.rbegin(), frames.rend(),
                        [&](std::uint64_t iid) { stack.varint(callstack_field::kFrame, iid); });
  data.message(interned_stacks::kCallstacks, stack);
}

void PerfettoSamples::intern(Protobuf& data) {
  if (request_.samples == nullptr) return;
  for (const samples::SampledLane& lane : request_.samples->lanes) {
    if (!is_selected(lane)) continue;
    for (const samples::PlacedSample& of : lane.samples) {
      if (!is_exported(request_.selection, of)) continue;
      stack(data, of.node, of.state == samples::State::waiting);
    }
  }
}

Protobuf PerfettoSamples::thread_descriptor(std::size_t lane) const {
  const samples::SampledLane& of = request_.samples->lanes[lane];
  Protobuf thread;
  thread.varint(thread_field::kPid, process_number(of.rank));
  thread.varint(thread_field::kTid, thread_numbers_[lane]);
  thread.text(thread_field::kName, thread_text(of.tid));
  return thread;
}

Protobuf PerfettoSamples::thread_of(std::uint32_t rank, std::size_t stream) const {
  for (std::size_t i = 0; i < thread_numbers_.size(); ++i) {
    const samples::SampledLane& lane = request_.samples->lanes[i];
    if (lane.rank == rank && lane.stream == stream) return thread_descriptor(i);
  }
  return {};
}

std::vector<Protobuf> PerfettoSamples::other_threads(std::uint32_t rank) const {
  std::vector<Protobuf> all;
  for (std::size_t i = 0; i < thread_numbers_.size(); ++i) {
    const samples::SampledLane& lane = request_.samples->lanes[i];
    if (lane.rank == rank && lane.stream == trace::kNone) all.push_back(thread_descriptor(i));
  }
  return all;
}

void PerfettoSamples::for_samples(
    const std::function<void(std::int64_t, const Protobuf&)>& use) const {
  Protobuf sample;
  for (std::size_t i = 0; i < thread_numbers_.size(); ++i) {
    const samples::SampledLane& lane = request_.samples->lanes[i];
    if (!is_selected(lane)) continue;
    for (const samples::PlacedSample& of : lane.samples) {
      if (!is_exported(request_.selection, of)) continue;
      const bool waiting = of.state == samples::State::waiting;
      sample.clear();
      sample.varint(perf_sample::kCpu, 0);
      sample.varint(perf_sample::kPid, process_number(lane.rank));
      sample.varint(perf_sample::kTid, thread_numbers_[i]);
      sample.varint(perf_sample::kCallstack, stacks_.at({of.node, waiting}));
      sample.varint(perf_sample::kCpuMode, perf_sample::kUserMode);
      use(of.at, sample);
    }
  }
}

}  // namespace plait::exports
