// SPDX-License-Identifier: BSD-3-Clause
// Reads the gaps of a rank and what it left out in them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/event_format.h"
#include "trace/event_names.hpp"
#include "trace/merge_definitions.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

/// The kind of operation that a call of a plait_shape_kind is or starts.
OperationKind operation_kind(std::uint32_t kind);

/// The gaps of one rank while its events are decoded. Fills Rank::gaps and
/// Rank::left_out_operations.
class GapReader {
public:
  /// @param shapes  as the file has them
  /// @param merged  the same in the trace
  GapReader(std::span<const plait_shape> shapes, const std::vector<MergedShape>& merged,
            const Trace& trace, Rank& rank)
      : shapes_(shapes), merged_(merged), trace_(trace), rank_(rank) {}

  /// The rank has a new stream, to which the gaps that follow belong.
  void begin_stream() { gaps_.clear(); }

  /// Reads a gap and, if it counts them, the operations that it left out.
  /// @throws Unreadable when its words are not those of a gap.
  void read(EventNames& words, Gap gap, bool counts);

  /// Reads a reference to a receive that was started in a gap (PLAIT_REFERENCE_LEFT_OUT).
  void read_receive(EventNames& words);

private:
  /// A gap of the stream.
  struct Place {
    std::uint32_t before = 0;  // the first operation behind it
    std::int64_t at = 0;
  };

  /// Adds operations of a shape that the k-th last gap left out.
  LeftOutOperations* add(std::uint32_t shape, std::uint64_t count, std::uint32_t back);

  std::span<const plait_shape> shapes_;
  const std::vector<MergedShape>& merged_;
  const Trace& trace_;
  Rank& rank_;
  std::vector<Place> gaps_;
};

}  // namespace plait::trace
