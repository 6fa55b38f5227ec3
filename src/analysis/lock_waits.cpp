// SPDX-License-Identifier: BSD-3-Clause
// Matches the epochs of locks on windows with those that conflict with them.
#include "analysis/lock_waits.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/wait_states.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

enum class CallKind : std::uint8_t { lock, lock_all, flush, unlock, none };

CallKind kind_of(std::string_view function) {
  if (function == "MPI_Win_lock") return CallKind::lock;
  if (function == "MPI_Win_lock_all") return CallKind::lock_all;
  if (function.starts_with("MPI_Win_unlock")) return CallKind::unlock;
  return function.starts_with("MPI_Win_flush") ? CallKind::flush : CallKind::none;
}

/// In place of a target: all of the window; any of it.
constexpr int kAll = -1, kAny = -2;

/// How many releases during a call are searched for one that conflicts.
constexpr std::size_t kSearched = 64;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

constexpr std::size_t kNoEpoch = ~std::size_t{0};

/// A window and a target: a world rank, kAll or kAny.
using Target = std::pair<std::uint32_t, int>;

/// From a lock to its release.
struct Epoch {
  std::uint32_t origin = 0;
  Target target;
  bool exclusive = false;
  std::int64_t locked = 0;         ///< the call that locks ended
  Arrival release = {};            ///< no lane: it was not recorded
  std::int64_t released = kNever;  ///< the call that releases ended
};

/// A call that may wait.
struct SyncCall {
  Lanes::Place place;
  Target target;
  CallKind kind = CallKind::none;
  std::uint32_t function = 0;
  std::size_t epoch = kNoEpoch;
  std::optional<std::uint64_t> bytes;  ///< that it may have to move; none: there was no operation
};

class Finder {
public:
  Finder(const trace::Trace& trace, const Lanes& lanes) : trace_(trace), lanes_(lanes) {
    for (const std::string& function : trace.functions) kinds_.push_back(kind_of(function));
  }

  std::vector<LockWait> find() {
    for (std::uint32_t rank = 0; rank < trace_.ranks.size(); ++rank) collect(rank);
    for (std::size_t i = 0; i < epochs_.size(); ++i) list(i);
    for (auto& [target, releases] : releases_) {
      std::ranges::sort(releases, {}, [this](std::size_t i) { return epochs_[i].release.time; });
    }
    for (const SyncCall& call : calls_) find_holder(call);
    find_idle_targets();
    return std::move(waits_);
  }

private:
  [[nodiscard]] const Call& call_at(const Lanes::Place& place) const {
    return lanes_.all[place.lane].calls[place.call];
  }

  [[nodiscard]] CallKind kind_at(const trace::Shape& shape) const {
    return shape.function < kinds_.size() ? kinds_[shape.function] : CallKind::none;
  }

  /// The one-sided calls of a rank in the order of their begins.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> one_sided(
      const trace::Rank& rank) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // stream, event
    for (std::uint32_t stream = 0; stream < rank.streams.size(); ++stream) {
      const auto& events = rank.streams[stream].events;
      for (std::uint32_t i = 0; i < events.size(); ++i) {
        if (trace_.shape(events[i]).kind == trace::EventKind::one_sided) {
          found.emplace_back(stream, i);
        }
      }
    }
    if (rank.streams.size() > 1) {
      std::ranges::stable_sort(found, {}, [&](const auto& at) {
        return rank.streams[at.first].events[at.second].begin;
      });
    }
    return found;
  }

  void collect(std::uint32_t number) {
    const trace::Rank& rank = trace_.ranks[number];
    const bool locks = std::ranges::any_of(rank.epochs, [&](const trace::EpochCall& call) {
      return kind_at(trace_.shape(rank.streams[call.stream].events[call.event])) != CallKind::none;
    });
    if (!locks) return;
    open_.clear();
    bytes_.clear();
    for (const auto& [stream, event] : one_sided(rank)) {
      const trace::Event& of = rank.streams[stream].events[event];
      const trace::Shape& shape = trace_.shape(of);
      if (shape.comm == kNone) continue;
      const Target target{shape.comm, world_rank(shape)};
      if (const CallKind kind = kind_at(shape); kind != CallKind::none) {
        add(number, lanes_.place_of(number, stream, event), shape, kind, target);
      } else if (target.second >= 0) {
        bytes_[target] += of.bytes;
      }
    }
  }

  /// The target; kAll: it has none, or it is unknown.
  [[nodiscard]] int world_rank(const trace::Shape& shape) const {
    const std::vector<int>& members = trace_.comms[shape.comm].members;
    return shape.peer >= 0 && static_cast<std::size_t>(shape.peer) < members.size()
               ? members[static_cast<std::size_t>(shape.peer)]
               : kAll;
  }

  void add(std::uint32_t rank, const Lanes::Place& place, const trace::Shape& shape, CallKind kind,
           const Target& target) {
    if (place.lane == kNone || shape.peer == PLAIT_NULL_PEER) return;
    const Call& at = call_at(place);
    std::size_t epoch = kNoEpoch;
    if (kind == CallKind::lock || kind == CallKind::lock_all) {
      open_.erase(target);
      if ((shape.flags & PLAIT_SHAPE_NO_LOCK) == 0) {
        epoch = epochs_.size();
        open_[target] = epoch;
        const bool exclusive = (shape.flags & PLAIT_SHAPE_EXCLUSIVE) != 0;
        epochs_.push_back({rank, target, exclusive, at.end});
      }
    } else {
      auto found = open_.find(target);
      if (found == open_.end()) found = open_.find({target.first, kAll});
      if (found != open_.end()) epoch = found->second;
    }
    calls_.push_back({place, target, kind, shape.function, epoch, take_bytes(target)});
    if (kind == CallKind::unlock && open_.erase(target) > 0) {
      epochs_[epoch].release = {at.begin, place.lane, place.call};
      epochs_[epoch].released = at.end;
    }
  }

  /// What was moved to and from a target since the last synchronization with it.
  std::optional<std::uint64_t> take_bytes(const Target& target) {
    if (target.second == kAll) {
      std::erase_if(bytes_, [&](const auto& of) { return of.first.first == target.first; });
      return {};
    }
    const auto moved = bytes_.extract(target);
    return moved.empty() ? std::nullopt : std::optional(moved.mapped());
  }

  /// Lists an epoch under the targets for which it may be an obstacle.
  void list(std::size_t number) {
    const Epoch& epoch = epochs_[number];
    if (epoch.release.lane == kNone) return;
    releases_[epoch.target].push_back(number);
    if (epoch.exclusive) releases_[{epoch.target.first, kAny}].push_back(number);
  }

  void find_holder(const SyncCall& call) {
    if (call.epoch == kNoEpoch) return;
    const Epoch& own = epochs_[call.epoch];
    const std::uint32_t window = call.target.first;
    const Epoch* last = nullptr;
    const auto search = [&](int target) {
      const auto found = releases_.find({window, target});
      if (found == releases_.end()) return;
      const Epoch* one = holder(call, own, found->second);
      if (one != nullptr && (last == nullptr || one->release.time > last->release.time)) last = one;
    };
    search(call.target.second >= 0 ? call.target.second : kAny);
    if (own.exclusive) search(kAll);
    if (last != nullptr) waits_.push_back({call.place, last->release, true});
  }

  /// The conflicting epoch of the list that ended last during a call. Libraries may return from
  /// MPI_Win_lock before they have the lock. Then both origins' locks have returned before either
  /// releases its own, and the one that releases first held it.
  [[nodiscard]] const Epoch* holder(const SyncCall& call, const Epoch& own,
                                    const std::vector<std::size_t>& releases) const {
    const Call& at = call_at(call.place);
    const bool locks = call.kind == CallKind::lock || call.kind == CallKind::lock_all;
    const Epoch* returns_late = nullptr;
    auto next = std::ranges::upper_bound(releases, at.end, {},
                                         [this](std::size_t i) { return epochs_[i].release.time; });
    for (std::size_t seen = 0; next != releases.begin() && seen < kSearched; ++seen) {
      const Epoch& other = epochs_[*--next];
      if (other.release.time <= at.begin) break;
      if (other.origin == own.origin || (!own.exclusive && !other.exclusive)) continue;
      if (locks) return &other;
      if (other.locked >= at.begin) continue;
      if (other.released <= own.released) return &other;
      if (returns_late == nullptr || other.released < returns_late->released) returns_late = &other;
    }
    return returns_late;
  }

  /// The calls of a function on a window whose target was outside MPI when they began.
  struct Progress {
    std::vector<LockWait> waits;
    bool needed = true;  ///< none ended before its target called MPI
  };

  void find_idle_targets() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Progress> known;  // by window and function
    for (const SyncCall& call : calls_) {
      const std::uint32_t origin = lanes_.all[call.place.lane].rank;
      const int target = call.target.second;
      if (target < 0 || static_cast<std::uint32_t>(target) == origin) continue;
      if (call.kind == CallKind::flush && !call.bytes) continue;
      const Call& at = call_at(call.place);
      const Arrival next = next_call(static_cast<std::uint32_t>(target), at.begin, call.place.call);
      if (next.lane == kNone) continue;
      Progress& progress = known[{call.target.first, call.function}];
      if (next.time > at.end) {
        progress.needed = false;
      } else if (next.time - at.begin > surely_done(call, static_cast<std::uint32_t>(target))) {
        progress.waits.push_back({call.place, next, false});
      }
    }
    for (const auto& [key, progress] : known) {
      if (progress.needed) std::ranges::copy(progress.waits, std::back_inserter(waits_));
    }
  }

  /// A call that needs nothing of its target has ended after this time, ns.
  [[nodiscard]] std::int64_t surely_done(const SyncCall& call, std::uint32_t target) const {
    const Lane& lane = lanes_.all[call.place.lane];
    const bool same_node = trace_.ranks[lane.rank].node == trace_.ranks[target].node;
    const auto error = static_cast<std::int64_t>(same_node ? 0 : 2e9 * trace_.clock_error_s);
    return kSurelyWaits + slow_copy_ns(call.bytes.value_or(0)) + error +
           lane.stalled_in(call.place.call);
  }

  /// The first call of a rank after t; no lane: a thread of it is in MPI then.
  [[nodiscard]] Arrival next_call(std::uint32_t rank, std::int64_t t, std::uint32_t near) const {
    Arrival first;
    for (const std::uint32_t number : lanes_.of[rank]) {
      if (number == kNone) continue;
      const Lane& lane = lanes_.all[number];
      const std::uint32_t next = lane.calls_begun(t, near);
      if (next > 0 && lane.calls[next - 1].end > t) return {};
      if (next == lane.calls.size()) continue;
      const std::int64_t begin = lane.calls[next].begin;
      if (first.lane == kNone || begin < first.time) first = {begin, number, next};
    }
    return first;
  }

  const trace::Trace& trace_;
  const Lanes& lanes_;
  std::vector<CallKind> kinds_;  ///< by function
  std::vector<Epoch> epochs_;
  std::vector<SyncCall> calls_;
  std::map<Target, std::vector<std::size_t>> releases_;  ///< epochs, in the order of their ends
  // Of the current rank:
  std::map<Target, std::size_t> open_;     ///< epochs
  std::map<Target, std::uint64_t> bytes_;  ///< moved since the last synchronization
  std::vector<LockWait> waits_;
};

}  // namespace

std::vector<LockWait> find_lock_waits(const trace::Trace& trace, const Lanes& lanes) {
  return Finder(trace, lanes).find();
}

}  // namespace plait::analysis
