// SPDX-License-Identifier: BSD-3-Clause
// Merges the functions, sites, communicators, regions and shapes of all processes.
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

/// Indices of a process' shape in the trace.
struct MergedShape {
  std::uint32_t index = kNone;  ///< Trace::shapes
  std::uint32_t poll = kNone;   ///< of a test or probe that finds nothing: the shape with kPoll
};

/// Adds the definitions of one process after another to a trace. Equal names and call paths are
/// merged, and so are communicators with equal members and ordinals.
class DefinitionMerger {
public:
  explicit DefinitionMerger(Trace& trace) : trace_(trace) {}

  /// @returns the merged shapes in the order of `shapes`; undefined references become "unknown" or
  ///          none
  std::vector<MergedShape> add(const ProcessDefinitions& process,
                               std::span<const plait_shape> shapes);

private:
  using Indices = std::vector<std::uint32_t>;
  struct Local {  // indices in the trace, by index in the process
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
