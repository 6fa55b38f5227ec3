// SPDX-License-Identifier: BSD-3-Clause
// Sampled call stacks in Perfetto's protobuf format: a PerfSample for each, with interned stacks.
//
// Perfetto draws them as a track of callstacks below each thread, and the stacks of a selected time
// as a flame graph. They belong to threads by process and thread numbers, so threads with samples
// have descriptors with such numbers, which are made up: those of several hosts may be equal.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "export/export.hpp"
#include "export/protobuf.hpp"

namespace plait::exports {

class PerfettoSamples {
public:
  /// @param request  with samples or without
  explicit PerfettoSamples(const Request& request);

  /// Appends the names, frames and stacks of the selected samples to an InternedData message.
  void intern(Protobuf& data);

  /// The ThreadDescriptor of a stream that has samples; empty: it has none.
  [[nodiscard]] Protobuf thread_of(std::uint32_t rank, std::size_t stream) const;

  /// The descriptors of the threads of a rank that have samples, but no stream.
  [[nodiscard]] std::vector<Protobuf> other_threads(std::uint32_t rank) const;

  /// Calls use(ns, PerfSample) for each selected sample.
  void for_samples(const std::function<void(std::int64_t, const Protobuf&)>& use) const;

  /// The number of a rank as a process.
  static std::uint64_t process_number(std::uint32_t rank) { return std::uint64_t{rank} + 1; }

private:
  using Frames = std::map<std::pair<int, int>, std::uint64_t>;  // by function and line

  [[nodiscard]] bool is_selected(const samples::SampledLane& lane) const;
  std::uint64_t frame(Protobuf& data, int function, int line);
  std::uint64_t name(Protobuf& data, std::uint32_t list, const std::string& text);
  std::uint64_t mapping(Protobuf& data, const std::string& module);
  void stack(Protobuf& data, int node, bool waiting);
  [[nodiscard]] Protobuf thread_descriptor(std::size_t lane) const;

  const Request& request_;
  std::vector<std::uint64_t> thread_numbers_;  // by lane
  Frames frames_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> names_;  // by list and text
  std::map<std::string, std::uint64_t> mappings_;
  std::map<std::pair<int, bool>, std::uint64_t> stacks_;  // by node and waiting for a CPU
};

}  // namespace plait::exports
