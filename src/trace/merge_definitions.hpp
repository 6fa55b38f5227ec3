// SPDX-License-Identifier: BSD-3-Clause
// Makes one list of functions, sites, communicators, regions and shapes of those of all processes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/event_source.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

/// A process' shape among the trace's.
struct MergedShape {
  std::uint32_t index = kNone;  ///< Trace::shapes
  std::uint32_t poll = kNone;   ///< of a test or probe that finds nothing: the same but for kPoll
};

/// Adds the definitions of one process after the other to a trace. Names and call paths that are
/// equal are one; communicators are one when their members and ordinals are.
class DefinitionMerger {
public:
  explicit DefinitionMerger(Trace& trace) : trace_(trace) {}

  /// @returns by index into `shapes`. What they refer to and the process does not define becomes
  ///          "unknown", or none.
  std::vector<MergedShape> add(const ProcessDefinitions& process,
                               std::span<const plait_shape> shapes);

private:
  using Indices = std::vector<std::uint32_t>;
  struct Local {  // the trace's index of each of the process'
    Indices functions, sites, comms, regions, parallel;
  };
  struct ShapeHash {
    std::size_t operator()(const Shape& shape) const;
  };

  std::uint32_t function(const FunctionName& name);
  std::uint32_t site(const Site& site);
  std::uint32_t comm(const Communicator& comm);
  std::uint32_t region(const TraceRegion& region);
  std::uint32_t shape(const Shape& shape);
  MergedShape merged(const plait_shape& shape, const Local& local);

  Trace& trace_;
  std::map<std::string, std::uint32_t> functions_;
  std::unordered_map<std::string, std::uint32_t> sites_, regions_;  // by all their fields
  std::map<std::pair<std::uint64_t, std::uint32_t>, Indices> comms_;
  std::unordered_map<Shape, std::uint32_t, ShapeHash> shapes_;
};

}  // namespace plait::trace
