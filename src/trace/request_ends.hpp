// SPDX-License-Identifier: BSD-3-Clause
// Resolves references of events to the requests that they end, also those of other threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "trace/event_names.hpp"
#include "trace/gap_reader.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

/// Maps the number of a request to its operation, for one thread. Numbers of a lost chunk are
/// unknown.
class StartedRequests {
public:
  /// The next request has this number.
  void continue_at(std::uint64_t number) {
    if (!runs_.empty() && next() == number) return;
    if (!runs_.empty() && next() > number) runs_.clear();  // damaged: forget the earlier ones
    runs_.push_back({number, operations_.size()});
  }

  /// The next request starts `operation`.
  void start(std::uint32_t operation) { operations_.push_back(operation); }

  /// The number of the next request.
  [[nodiscard]] std::uint64_t next() const {
    return runs_.empty() ? 0 : runs_.back().number + (operations_.size() - runs_.back().first);
  }

  /// The operation of a request; kNone: unknown.
  [[nodiscard]] std::uint32_t operation(std::uint64_t number) const {
    const auto behind = std::ranges::upper_bound(runs_, number, {}, &Run::number);
    if (behind == runs_.begin()) return kNone;
    const Run& run = *std::prev(behind);
    const std::size_t end = behind == runs_.end() ? operations_.size() : behind->first;
    const std::uint64_t index = number - run.number;
    return index < end - run.first ? operations_[run.first + index] : kNone;
  }

private:
  struct Run {  // of consecutive numbers
    std::uint64_t number;
    std::size_t first;
  };
  std::vector<Run> runs_;  // numbers ascend
  std::vector<std::uint32_t> operations_;
};

/// The requests of one rank while its events are decoded. Fills Rank::ended, and for each operation
/// the event that ended it and the source and tag of its status.
class RequestEnds {
public:
  /// @param gaps  of the rank; gets receives that were started in a gap
  RequestEnds(const Trace& trace, Rank& rank, GapReader& gaps)
      : trace_(trace), rank_(rank), gaps_(gaps) {}

  /// Call at the start of each chunk, with the number of its first request. The chunks of a thread
  /// are consecutive, and the rank already has the thread's stream.
  void begin_chunk(std::uint32_t thread, std::uint64_t first_request);

  /// The current thread starts a request for `operation`; with `both_halves`, also for the next
  /// operation.
  void start(std::uint32_t operation, bool both_halves = false) {
    threads_.back().requests.start(operation | (both_halves ? kBothHalves : 0));
  }

  /// Reads a reference. With `ends`, the request ends in the current event, which is the next one
  /// of the last stream.
  /// @returns the operation; kNone: unknown, or of another thread and resolved by finish()
  std::uint32_t read(EventNames& words, Event& event, bool ends);

  /// Sets the source (a rank in the peer group) and tag that the status of a receive has.
  void set_status(Operation& operation, int source, int tag);

  /// Resolves references between threads; call when all threads have been read.
  void finish();

private:
  /// Marks a request of Isendrecv, whose second half is the next operation.
  static constexpr std::uint32_t kBothHalves = 1U << 31;

  struct Reference {
    std::uint32_t bits;
    int source = -1, tag = 0;
    std::uint32_t stream = 0, event = 0;  // that contains it
  };
  struct Foreign {
    Reference reference;
    std::uint32_t thread;
    std::uint64_t number;
    std::size_t slot;  // in Rank::ended
  };
  struct Thread {
    std::uint32_t number;
    StartedRequests requests;
  };

  static std::uint32_t halves(std::uint32_t request) {
    return (request & kBothHalves) != 0 ? 2 : 1;
  }
  std::size_t add_ended(Event& event, std::uint32_t operation);
  void end(std::uint32_t request, const Reference& by);
  void drop_unknown();

  const Trace& trace_;
  Rank& rank_;
  GapReader& gaps_;
  std::vector<Thread> threads_;  // by stream
  std::vector<Foreign> foreign_;
  std::vector<const std::vector<int>*> peers_;  // of each communicator, as this rank sees it
};

}  // namespace plait::trace
