// SPDX-License-Identifier: BSD-3-Clause
// A heap of events by time, with four children per node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plait::replay {

enum class EventType : std::uint32_t { rank, agent, inject, arrive, flow, compute };

/// Equal times are ordered by type and index, which makes replays deterministic.
struct Event {
  Event(double at, std::uint32_t of, EventType what, std::uint32_t which = 0)
      : time(at), index(of), type(what), version(which & kVersions) {}

  /// The largest `version`.
  static constexpr std::uint32_t kVersions = 0x1fffffff;

  double time;
  std::uint32_t index;  ///< of the rank, transfer, ..., as its type says
  EventType type : 3;
  std::uint32_t version : 29;  ///< kFlow, kCompute: outdated events are ignored
};
static_assert(sizeof(Event) == 16);

inline bool before(const Event& a, const Event& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.type != b.type) return a.type < b.type;
  return a.index < b.index;
}

/// Four children per node: half the levels of a binary heap, and the four share a cache line
/// (LaMarca and Ladner 1996, "The Influence of Caches on the Performance of Heaps").
class EventHeap {
public:
  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] const Event& first() const { return events_.front(); }
  void reserve(std::size_t events) { events_.reserve(events); }

  void push(const Event& event) {
    std::size_t at = events_.size();
    events_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kChildren;
      if (!before(event, events_[parent])) break;
      events_[at] = events_[parent];
      at = parent;
    }
    events_[at] = event;
  }

  Event pop() {
    const Event first = events_.front();
    const Event last = events_.back();
    events_.pop_back();
    if (!events_.empty()) sink(last);
    return first;
  }

private:
  static constexpr std::size_t kChildren = 4;

  /// Puts an event at the top and sinks it to its position.
  void sink(const Event& event) {
    const std::size_t size = events_.size();
    std::size_t at = 0;
    while (true) {
      const std::size_t child = at * kChildren + 1;
      if (child >= size) break;
      const std::size_t end = child + kChildren < size ? child + kChildren : size;
      std::size_t least = child;
      for (std::size_t other = child + 1; other < end; ++other) {
        if (before(events_[other], events_[least])) least = other;
      }
      if (!before(events_[least], event)) break;
      events_[at] = events_[least];
      at = least;
    }
    events_[at] = event;
  }

  std::vector<Event> events_;
};

}  // namespace plait::replay
