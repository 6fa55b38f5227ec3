// SPDX-License-Identifier: BSD-3-Clause
// Finds calls that may have waited for a rank that was left out of the trace.
#include "analysis/untraced.hpp"

#include <algorithm>

#include "analysis/collective_arrivals.hpp"
#include "analysis/state_sums.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;
using trace::OperationKind;

class Finder {
public:
  explicit Finder(const trace::Trace& trace) : trace_(trace) {
    for (const std::string& name : trace.functions) gatherings_.push_back(gathering_of(name));
    for (const trace::Comm& comm : trace.comms) {
      const auto out = [&](int rank) { return is_left_out(rank); };
      incomplete_.push_back(std::ranges::any_of(comm.members, out) ||
                            std::ranges::any_of(comm.remote_members, out));
    }
  }

  /// True if an operation of a rank may have waited for a rank that was left out.
  [[nodiscard]] bool may_wait(std::uint32_t rank, const trace::Operation& operation) const {
    if (operation.kind != OperationKind::collective) return is_left_out(operation.partner);
    const trace::Shape& shape = trace_.shapes[operation.shape];
    if (shape.comm >= trace_.comms.size() || !incomplete_[shape.comm]) return false;
    const std::vector<int>& peers = trace_.comms[shape.comm].peers_of(static_cast<int>(rank));
    const auto peer = static_cast<std::size_t>(shape.peer);
    const int root = shape.peer >= 0 && peer < peers.size() ? peers[peer] : -1;
    const Gathering gathering =
        shape.function < gatherings_.size() ? gatherings_[shape.function] : Gathering::none;
    if (gathering == Gathering::neighbors && !trace_.comms[shape.comm].sources.empty()) {
      return has_source_left_out(trace_.comms[shape.comm], rank);
    }
    if (gathering == Gathering::from_root && root >= 0) return is_left_out(root);
    if (gathering == Gathering::to_root && root >= 0) return root == static_cast<int>(rank);
    return true;
  }

private:
  [[nodiscard]] bool has_source_left_out(const trace::Comm& comm, std::uint32_t rank) const {
    const auto member = std::ranges::find(comm.members, static_cast<int>(rank));
    if (member == comm.members.end()) return false;
    const auto& sources = comm.sources[static_cast<std::size_t>(member - comm.members.begin())];
    return std::ranges::any_of(sources, [&](int source) {
      return is_left_out(comm.members[static_cast<std::size_t>(source)]);
    });
  }

  [[nodiscard]] bool is_left_out(int rank) const {
    return rank >= 0 && static_cast<std::size_t>(rank) < trace_.ranks.size() &&
           trace_.ranks[static_cast<std::size_t>(rank)].left_out;
  }

  const trace::Trace& trace_;
  std::vector<Gathering> gatherings_;  ///< by function
  std::vector<bool> incomplete_;       ///< by communicator: a member was left out
};

/// Adds the time of a lane's calls that may have waited for a rank that was left out.
void add_lane(const trace::Trace& trace, const Lane& lane, const std::vector<Wait>& waits,
              const Finder& finder, StateSums& sum) {
  const trace::Rank& rank = trace.ranks[lane.rank];
  auto wait = waits.begin();
  for (std::uint32_t call = 0; call < lane.calls.size(); ++call) {
    std::int64_t unknown = lane.calls[call].end - lane.calls[call].begin;
    if (wait != waits.end() && wait->call == call) {
      unknown -= wait->end - wait->begin;
      ++wait;
    }
    const trace::Event* event = event_of(trace, lane, call);
    if (event == nullptr || unknown <= 0) continue;
    bool may_wait = false;
    for_operations(rank, *event, [&](const trace::Operation& operation) {
      const bool ends_here =
          operation.ended == lane.calls[call].event && operation.end_stream == lane.stream;
      may_wait = may_wait || (ends_here && finder.may_wait(lane.rank, operation));
    });
    if (!may_wait) continue;
    const trace::Shape& shape = trace.shape(*event);
    sum.add({WaitKind::untraced, shape.function, shape.site}, unknown);
  }
}

}  // namespace

std::vector<WaitState> untraced_waits(const trace::Trace& trace, const Lanes& lanes,
                                      const Waits& waits, unsigned threads, Processes* processes) {
  if (trace.left_out == 0) return {};
  const Finder finder(trace);
  return sum_by_rank(lanes, threads, processes, [&](std::uint32_t rank, StateSums& sum) {
    for (const std::uint32_t lane : lanes.of[rank]) {
      if (lane != kNone) add_lane(trace, lanes.all[lane], waits.of[lane], finder, sum);
    }
  });
}

}  // namespace plait::analysis
