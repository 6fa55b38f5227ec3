// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a node did in each interval of a trace, as the mapper would have seen it.
#include "remap/traced_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "remap/collective_messages.hpp"

namespace plait::remap {
namespace {

constexpr double kSecondsPerNs = 1e-9;

/// Adds up the intervals of one node.
class Intervals {
public:
  Intervals(const trace::Trace& trace, TracedNode& node, double interval_s)
      : trace_(trace),
        node_(node),
        length_(static_cast<std::int64_t>(std::llround(interval_s / kSecondsPerNs))) {
    std::int64_t last = 0;
    first_ = trace.ranks[static_cast<std::size_t>(node.ranks.front())].begin;
    for (std::size_t i = 0; i < node.ranks.size(); ++i) {
      const trace::Rank& rank = rank_of(i);
      first_ = std::min(first_, rank.begin);
      last = std::max(last, rank.end);
      number_[node.ranks[i]] = static_cast<int>(i);
    }
    for (std::int64_t begin = first_; begin < last; begin += length_) {
      Interval interval;
      interval.seconds = static_cast<double>(std::min(length_, last - begin)) * kSecondsPerNs;
      interval.busy_s.resize(node.ranks.size());
      interval.mpi_s.resize(node.ranks.size());
      node.intervals.push_back(std::move(interval));
    }
    flows_.resize(node.intervals.size());
  }

  void add_rank(std::size_t i) {
    const trace::Rank& rank = rank_of(i);
    add(&Interval::busy_s, i, rank.begin, rank.end, 1);
    for (std::size_t s = 0; s < rank.streams.size(); ++s) {
      for (const trace::Event& event : rank.streams[s].events) {
        add_event(i, event, s == 0);
      }
    }
    for (const trace::Operation& operation : rank.operations) {
      const trace::Event& start =
          trace_.start(static_cast<std::uint32_t>(node_.ranks[i]), operation);
      add_operation(i, operation, start.begin);
    }
  }

  void finish() {
    for (std::size_t n = 0; n < flows_.size(); ++n) {
      for (const auto& [pair, sent] : flows_[n]) {
        node_.intervals[n].flows.push_back({pair.first, pair.second, sent.first, sent.second});
      }
    }
  }

private:
  [[nodiscard]] const trace::Rank& rank_of(std::size_t i) const {
    return trace_.ranks[static_cast<std::size_t>(node_.ranks[i])];
  }

  [[nodiscard]] std::size_t interval_at(std::int64_t time) const {
    const std::int64_t n = std::max<std::int64_t>(0, (time - first_) / length_);
    return std::min(static_cast<std::size_t>(n), node_.intervals.size() - 1);
  }

  /// Divides a time among the intervals in which it passes.
  void add(std::vector<double> Interval::*what, std::size_t rank, std::int64_t begin,
           std::int64_t end, double factor) {
    begin = std::max(begin, first_);
    for (std::size_t n = interval_at(begin); begin < end; ++n) {
      const bool is_last = n + 1 == node_.intervals.size();
      const std::int64_t until =
          is_last ? end : std::min(end, first_ + static_cast<std::int64_t>(n + 1) * length_);
      (node_.intervals[n].*what)[rank] +=
          factor * static_cast<double>(until - begin) * kSecondsPerNs;
      begin = until;
    }
  }

  void add_event(std::size_t rank, const trace::Event& event, bool is_main) {
    switch (trace_.shape(event).kind) {
      case trace::EventKind::region:
      case trace::EventKind::parallel:
        return;
      case trace::EventKind::work:
        if (!is_main) add(&Interval::busy_s, rank, event.begin, event.end, 1);
        return;
      default:
        if (!is_main) return;
        add(&Interval::mpi_s, rank, event.begin, event.end, 1);
        add(&Interval::busy_s, rank, event.begin, event.end, -1);
    }
  }

  void add_operation(std::size_t rank, const trace::Operation& operation, std::int64_t time) {
    auto& flows = flows_[interval_at(time)];
    const auto send = [&](int world_rank, double messages, double bytes) {
      const auto to = number_.find(world_rank);
      if (to == number_.end() || to->second == static_cast<int>(rank)) return;
      auto& sent = flows[{static_cast<int>(rank), to->second}];
      sent.first += messages;
      sent.second += bytes;
    };
    if (operation.kind == trace::OperationKind::send && !operation.cancelled) {
      send(operation.partner, 1, static_cast<double>(operation.bytes));
    } else if (operation.kind == trace::OperationKind::collective) {
      const trace::Shape& shape = trace_.shapes[operation.shape];
      if (shape.comm == trace::kNone || shape.function == trace::kNone) return;
      trace::CollectiveEntry call;
      call.function = function(shape.function);
      call.root = shape.peer;
      call.count = 1;
      call.bytes = operation.bytes;
      collective_messages(communicator(rank, shape.comm), call, send);
    }
  }

  const trace::SharedText& function(std::uint32_t index) {
    const auto [found, is_new] = functions_.try_emplace(index);
    if (is_new) found->second = trace::SharedText(trace_.functions[index]);
    return found->second;
  }

  const trace::Communicator& communicator(std::size_t rank, std::uint32_t index) {
    const auto [found, is_new] = comms_.try_emplace({rank, index});
    if (is_new) {
      const trace::Comm& comm = trace_.comms[index];
      const auto me = std::find(comm.members.begin(), comm.members.end(), node_.ranks[rank]);
      found->second.my_rank =
          me == comm.members.end() ? -1 : static_cast<int>(me - comm.members.begin());
      found->second.members = trace::RankGroup(comm.members);
      found->second.remote_members = trace::RankGroup(comm.remote_members);
    }
    return found->second;
  }

  const trace::Trace& trace_;
  TracedNode& node_;
  std::int64_t length_, first_ = 0;  ///< ns
  std::map<int, int> number_;        ///< on the node, by world rank
  /// Messages and bytes by pair, of each interval.
  std::vector<std::map<std::pair<int, int>, std::pair<double, double>>> flows_;
  std::map<std::uint32_t, trace::SharedText> functions_;
  std::map<std::pair<std::size_t, std::uint32_t>, trace::Communicator> comms_;
};

int threads_of(const trace::Rank& rank) {
  return 1 + static_cast<int>(
                 std::count_if(rank.streams.begin(), rank.streams.end(),
                               [](const trace::Stream& stream) { return stream.omp_thread > 0; }));
}

}  // namespace

TracedNode traced_node(const trace::Trace& trace, std::uint32_t node, double interval_s) {
  TracedNode result;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const trace::Rank& rank = trace.ranks[r];
    if (rank.node != node || rank.streams.empty()) continue;
    result.ranks.push_back(static_cast<int>(r));
    result.threads.push_back(threads_of(rank));
  }
  if (result.ranks.empty()) return result;
  Intervals intervals(trace, result, interval_s);
  if (result.intervals.empty()) return result;
  for (std::size_t i = 0; i < result.ranks.size(); ++i) intervals.add_rank(i);
  intervals.finish();
  return result;
}

}  // namespace plait::remap
