// SPDX-License-Identifier: BSD-3-Clause
// Which events ended which requests: references to requests, also of other threads, resolved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/event_words.hpp"
#include "trace/started_requests.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

/// The requests of one rank while its events are decoded. Fills `ended` of the rank, and of its
/// operations which event ended them and what their status said.
class RequestEnds {
public:
  RequestEnds(const Trace& trace, Rank& rank) : trace_(trace), rank_(rank) {}

  /// A chunk of a thread begins, whose first request has that number. Threads come one after the
  /// other; each begins a stream, which the rank already has.
  void begin_chunk(std::uint32_t thread, std::uint64_t first_request);

  /// The thread at hand starts a request for `operation`; `both_halves`: and for the next one.
  void start(std::uint32_t operation, bool both_halves = false) {
    threads_.back().requests.start(operation | (both_halves ? kBothHalves : 0));
  }

  /// Reads a reference; if `ends`, the request ends in the event at hand, which is the next one of
  /// the last stream.
  /// @returns the operation, kNone: unknown, or of another thread and not known yet
  std::uint32_t read(EventWords& words, Event& event, bool ends);

  /// The actual source (a rank in the peer group) and tag of a receive.
  void set_status(Operation& operation, int source, int tag);

  /// When all threads have been read: what they ended for each other.
  void finish();

private:
  /// Of a request of Isendrecv, whose second half is the next operation.
  static constexpr std::uint32_t kBothHalves = 1U << 31;

  struct Reference {
    std::uint32_t bits;
    int source = -1, tag = 0;
    std::uint32_t stream = 0, event = 0;  // that holds it
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
  std::vector<Thread> threads_;  // by stream
  std::vector<Foreign> foreign_;
  std::vector<const std::vector<int>*> peers_;  // of each communicator, as this rank sees it
};

}  // namespace plait::trace
