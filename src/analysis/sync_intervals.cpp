// SPDX-License-Identifier: BSD-3-Clause
// Finds the intervals over which the work of a waiting rank and the awaited rank is compared.
#include "analysis/sync_intervals.hpp"

#include <algorithm>

#include "analysis/collective_arrivals.hpp"
#include "analysis/epoch_arrivals.hpp"
#include "analysis/shares.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;
using trace::OperationKind;

/// A barrier or all-to-all collective call that a lane took part in.
struct FullSync {
  std::int64_t time = 0;  ///< arrival of the last member
  std::uint32_t comm = 0;
  std::uint32_t call = 0;
};

/// How many full synchronizations of a lane are searched for one with a certain rank.
constexpr std::uint32_t kSearched = 32;

/// The members of each communicator, ascending.
std::vector<std::vector<int>> sorted_members(const trace::Trace& trace) {
  std::vector<std::vector<int>> members;
  for (const trace::Comm& comm : trace.comms) {
    members.push_back(comm.members);
    std::ranges::sort(members.back());
  }
  return members;
}

/// What the finders of all threads read.
struct Input {
  const trace::Trace& trace;
  const Lanes& lanes;
  const Waits& waits;
  EpochArrivals epochs{trace, lanes};
  std::vector<std::vector<int>> members = sorted_members(trace);
};

/// Finds the intervals of one lane after the other.
class Finder {
public:
  Finder(const Input& input, Intervals& intervals)
      : trace_(input.trace),
        lanes_(input.lanes),
        waits_(input.waits),
        collectives_(*input.waits.collectives),
        epochs_(input.epochs),
        members_(input.members),
        intervals_(intervals),
        partners_(lanes_.all.size()) {}

  void find(std::uint32_t number) {
    const std::vector<Wait>& waits = waits_.of[number];
    if (waits.empty()) return;
    const Lane& lane = lanes_.all[number];
    find_full_syncs(lane);
    std::uint32_t next_wait = 0;
    std::uint32_t next_sync = 0;
    intervals_.of[number].reserve(waits.size());
    for (std::uint32_t i = 0; i < lane.calls.size() && next_wait < waits.size(); ++i) {
      while (next_sync < full_syncs_.size() && full_syncs_[next_sync].call < i) ++next_sync;
      if (waits[next_wait].call == i) add(number, next_wait++, next_sync);
      note_partners(number, i);
    }
  }

private:
  /// The last contact of the current lane with another.
  struct Partner {
    std::uint32_t lane = kNone;  ///< the current lane when this was written
    std::int64_t since = 0;
    std::int64_t window_begin = -1;
    std::uint32_t pair = 0;
  };

  Partner& partner(std::uint32_t of_lane, std::uint32_t with) {
    Partner& partner = partners_[with];
    if (partner.lane != of_lane) partner = {of_lane, lanes_.begin, -1, 0};
    return partner;
  }

  void find_full_syncs(const Lane& lane) {
    full_syncs_.clear();
    const trace::Rank& rank = trace_.ranks[lane.rank];
    for (std::uint32_t i = 0; i < lane.calls.size(); ++i) {
      const trace::Event* event = event_of(trace_, lane, i);
      if (event == nullptr) break;
      for_operations(rank, *event, [&](const trace::Operation& operation) {
        if (operation.kind != OperationKind::collective || operation.message == kNone) return;
        const bool ends_here =
            operation.ended == lane.calls[i].event && operation.end_stream == lane.stream;
        const Gathering gathering = collectives_.gathering(operation.message);
        const Arrival& last = collectives_.awaited(operation.message);
        const bool waits_for_all = gathering == Gathering::barrier ||
                                   gathering == Gathering::n_to_n || may_end_early(gathering);
        if (ends_here && last.lane != kNone && waits_for_all &&
            (!may_end_early(gathering) || lane.calls[i].end >= last.time)) {
          full_syncs_.push_back({last.time, trace_.collectives[operation.message].comm, i});
        }
      });
    }
  }

  [[nodiscard]] bool takes_part(std::uint32_t comm, std::uint32_t lane) const {
    const std::vector<int>& members = members_[comm];
    return members.size() == trace_.ranks.size() ||
           std::ranges::binary_search(members, static_cast<int>(lanes_.all[lane].rank));
  }

  /// The interval of a wait; `next` is the first full synchronization in or after its call.
  void add(std::uint32_t number, std::uint32_t wait_number, std::uint32_t next) {
    const Wait& wait = waits_.of[number][wait_number];
    Partner& with = partner(number, wait.by_lane);
    Interval interval{with.since, lanes_.begin, lanes_.end, 0};
    for (std::uint32_t i = next; i > 0 && i + kSearched > next; --i) {
      if (!takes_part(full_syncs_[i - 1].comm, wait.by_lane)) continue;
      interval.window_begin = full_syncs_[i - 1].time;
      break;
    }
    for (std::uint32_t i = next; i < full_syncs_.size() && i < next + kSearched; ++i) {
      if (!takes_part(full_syncs_[i].comm, wait.by_lane)) continue;
      interval.window_end = full_syncs_[i].time;
      break;
    }
    interval.since = std::min(std::max(interval.since, interval.window_begin), wait.begin);
    std::vector<std::int64_t>& excess = intervals_.excess[number];
    if (with.window_begin != interval.window_begin) {
      with.window_begin = interval.window_begin;
      with.pair = static_cast<std::uint32_t>(excess.size());
      excess.push_back(0);
    }
    interval.pair = with.pair;
    intervals_.of[number].push_back(interval);
    with.since = std::max(with.since, wait.end);
  }

  /// Notes with which lanes a call brought the lane in step, and since when: a message when it was
  /// sent, a neighbourhood collective when the neighbour arrived, a rooted collective call when its
  /// root (or the member, for the root) arrived.
  void note_partners(std::uint32_t number, std::uint32_t call) {
    const Lane& lane = lanes_.all[number];
    const trace::Event* event = event_of(trace_, lane, call);
    if (event == nullptr) return;
    const std::int64_t begin = lane.calls[call].begin;
    if (trace_.shape(*event).kind == trace::EventKind::one_sided) {
      const Arrival& last = epochs_.awaited(number, call).last;
      if (last.lane == kNone) return;
      Partner& with = partner(number, last.lane);
      with.since = std::max(with.since, last.time);
      return;
    }
    for_operations(trace_.ranks[lane.rank], *event, [&](const trace::Operation& operation) {
      if (operation.message == kNone) return;
      const bool ends_here =
          operation.ended == lane.calls[call].event && operation.end_stream == lane.stream;
      if (operation.kind == OperationKind::collective) {
        if (ends_here) note_members(number, begin, operation);
        return;
      }
      const bool sends = operation.kind == OperationKind::send;
      if (!sends && !ends_here) return;
      Arrival other{begin, kNone, kNone};
      if (sends) {
        other.lane = waits_.messages->lane_of_receiver(operation.message);
      } else {
        other = waits_.messages->arrival_of_sender(operation.message);
      }
      if (other.lane == kNone) return;
      Partner& with = partner(number, other.lane);
      with.since = std::max(with.since, other.time);
    });
  }

  void note_members(std::uint32_t number, std::int64_t begin, const trace::Operation& part) {
    const Gathering gathering = collectives_.gathering(part.message);
    if (gathering == Gathering::neighbors) {
      collectives_.for_sources(lanes_.all[number].rank, part.message, [&](const Arrival& source) {
        if (source.lane == kNone) return;
        Partner& with = partner(number, source.lane);
        with.since = std::max(with.since, source.time);
      });
      return;
    }
    if (gathering != Gathering::from_root && gathering != Gathering::to_root) return;
    if (collectives_.has_two_groups(part.message)) return;
    const bool from_root = gathering == Gathering::from_root;
    const int root = collectives_.root_of(part);
    const bool is_root = root == static_cast<int>(lanes_.all[number].rank);
    if (!is_root && root >= 0 && lanes_.main_of[static_cast<std::size_t>(root)] != kNone) {
      const Arrival& awaited = collectives_.awaited(part.message);
      Partner& with = partner(number, from_root && awaited.lane != kNone
                                          ? awaited.lane
                                          : lanes_.main_of[static_cast<std::size_t>(root)]);
      with.since = std::max(with.since, from_root ? awaited.time : begin);
    }
    if (!is_root) return;
    collectives_.for_members(part.message, [&](const Arrival& member, std::uint32_t) {
      Partner& with = partner(number, member.lane);
      with.since = std::max(with.since, from_root ? begin : member.time);
    });
  }

  const trace::Trace& trace_;
  const Lanes& lanes_;
  const Waits& waits_;
  const CollectiveArrivals& collectives_;
  const EpochArrivals& epochs_;
  const std::vector<std::vector<int>>& members_;  ///< by communicator, ascending
  Intervals& intervals_;
  std::vector<Partner> partners_;     ///< by lane
  std::vector<FullSync> full_syncs_;  ///< of the current lane
};

/// A wait of an own lane.
struct WaitPlace {
  std::uint32_t lane, number;
};

/// Asks the processes of awaited lanes about them.
class FarLanes {
public:
  FarLanes(const Input& input, Intervals& intervals, unsigned threads, Processes& processes)
      : input_(input), intervals_(intervals), threads_(threads), processes_(processes) {}

  /// Collective. Sets Interval::far and Intervals::far.
  void find() {
    find_waits();
    std::vector<std::vector<AwaitedPart>> questions(waits_.size());
    for (std::size_t process = 0; process < waits_.size(); ++process) {
      const std::vector<WaitPlace>& waits = waits_[process];
      questions[process].resize(waits.size());
      for_each_part(waits.size(), [&](std::size_t i) {
        questions[process][i] =
            awaited_part(input_.lanes, input_.waits, intervals_, waits[i].lane, waits[i].number);
      });
    }
    std::vector<std::vector<AwaitedLane>> answers;
    for (const auto& asked : swap_lists(processes_, questions)) {
      std::vector<AwaitedLane>& lanes = answers.emplace_back(asked.size());
      for_each_part(asked.size(), [&](std::size_t i) {
        look_at(input_.trace, input_.lanes, input_.waits, asked[i], lanes[i]);
      });
    }
    const std::vector<WaitPlace> waits = joined(waits_);
    intervals_.far = joined(swap_lists(processes_, answers));
    for (std::uint32_t i = 0; i < intervals_.far.size(); ++i) {
      intervals_.of[waits[i].lane][waits[i].number].far = i;
    }
  }

private:
  /// The own waits for lanes of each process.
  void find_waits() {
    const Lanes& lanes = input_.lanes;
    waits_.resize(lanes.shares.size());
    for (std::size_t lane = lanes.own.first; lane < lanes.own.last; ++lane) {
      for (std::uint32_t i = 0; i < input_.waits.of[lane].size(); ++i) {
        const std::uint32_t by_lane = input_.waits.of[lane][i].by_lane;
        if (by_lane >= lanes.own.first && by_lane < lanes.own.last) continue;
        waits_[range_of(lanes.shares, by_lane)].push_back({static_cast<std::uint32_t>(lane), i});
      }
    }
  }

  template <class Use>
  void for_each_part(std::size_t count, Use use) const {
    const std::vector<IndexRange> ranges = ranges_of(count, threads_);
    for_each_index(
        ranges.size(),
        [&](std::size_t range) {
          for (std::size_t i = ranges[range].first; i < ranges[range].last; ++i) use(i);
        },
        threads_);
  }

  const Input& input_;
  Intervals& intervals_;
  unsigned threads_;
  Processes& processes_;
  std::vector<std::vector<WaitPlace>> waits_;  ///< by process of the awaited lane
};

/// Sets Intervals::excess of a lane.
void find_excess(const Input& input, std::size_t lane, Intervals& intervals) {
  const auto number = static_cast<std::uint32_t>(lane);
  for (std::uint32_t i = 0; i < intervals.of[lane].size(); ++i) {
    const Interval& interval = intervals.of[lane][i];
    const Wait& wait = input.waits.of[lane][i];
    const Spent waiting = spent_by(input.lanes, input.waits, number, wait.call, i, interval.since);
    const Spent awaited =
        interval.far != kNone
            ? intervals.far[interval.far].spent
            : spent_by(input.lanes, input.waits, wait.by_lane, wait.by_call,
                       input.waits.near(wait.by_lane, wait.by_call, input.lanes), interval.since);
    intervals.excess[lane][interval.pair] +=
        std::max<std::int64_t>(0, awaited.computed - waiting.computed);
  }
}

}  // namespace

AwaitedPart awaited_part(const Lanes& lanes, const Waits& waits, const Intervals& intervals,
                         std::uint32_t lane, std::uint32_t number) {
  const Wait& wait = waits.of[lane][number];
  const Interval& interval = intervals.of[lane][number];
  return {wait.by_lane,        wait.by_call,
          interval.since,      interval.window_begin,
          interval.window_end, spent_by(lanes, waits, lane, wait.call, number, interval.since)};
}

Intervals find_intervals(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                         unsigned threads, Processes* processes) {
  const Input input{trace, lanes, waits};
  Intervals intervals;
  intervals.of.resize(lanes.all.size());
  intervals.excess.resize(lanes.all.size());
  const Shares shares(lanes.shares, processes, threads);
  shares.for_own([&](const IndexRange& range) {
    Finder finder(input, intervals);
    for (std::size_t lane = range.first; lane < range.last; ++lane) {
      finder.find(static_cast<std::uint32_t>(lane));
    }
  });
  if (size_of(processes) > 1) FarLanes(input, intervals, threads, *processes).find();
  shares.for_own([&](const IndexRange& range) {
    for (std::size_t lane = range.first; lane < range.last; ++lane) {
      find_excess(input, lane, intervals);
    }
  });
  return intervals;
}

}  // namespace plait::analysis
