// SPDX-License-Identifier: BSD-3-Clause
// Resolves references of events to requests.
#include "trace/request_ends.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace plait::trace {

void RequestEnds::begin_chunk(std::uint32_t thread, std::uint64_t first_request) {
  if (threads_.size() < rank_.streams.size()) {
    threads_.push_back({thread, {}});
  }
  threads_.back().requests.continue_at(first_request);
}

std::uint32_t RequestEnds::read(EventNames& words, Event& event, bool ends) {
  Reference reference{words.one()};
  if (reference.bits == PLAIT_REFERENCE_UNKNOWN) {
    return kNone;
  }
  if (reference.bits == PLAIT_REFERENCE_LEFT_OUT) {
    gaps_.read_receive(words);
    return kNone;
  }
  const std::uint32_t count = reference.bits & PLAIT_REFERENCE_COUNT;
  const bool foreign = (reference.bits & PLAIT_REFERENCE_FOREIGN) != 0;
  const std::uint32_t thread = foreign ? words.one() : 0;
  if ((reference.bits & PLAIT_REFERENCE_STATUS) != 0) {
    reference.source = words.number();
    reference.tag = words.number();
  }
  reference.stream = static_cast<std::uint32_t>(rank_.streams.size() - 1);
  reference.event = static_cast<std::uint32_t>(rank_.streams.back().events.size());
  if (foreign) {
    if (ends) {
      foreign_.push_back({reference, thread, count, add_ended(event, kNone)});
    }
    return kNone;
  }
  const StartedRequests& requests = threads_.back().requests;
  const std::uint32_t request = requests.operation(requests.next() - count);
  if (request == kNone) {
    return kNone;
  }
  const std::uint32_t operation = request & ~kBothHalves;
  if (ends) {
    for (std::uint32_t half = 0; half < halves(request); ++half) {
      add_ended(event, operation + half);
    }
    end(request, reference);
  }
  return operation;
}

std::size_t RequestEnds::add_ended(Event& event, std::uint32_t operation) {
  if (event.ended_count == 0) {
    event.first_ended = static_cast<std::uint32_t>(rank_.ended.size());
  }
  if (event.ended_count < kMany) {
    ++event.ended_count;
  }
  rank_.ended.push_back(operation);
  return rank_.ended.size() - 1;
}

void RequestEnds::end(std::uint32_t request, const Reference& by) {
  for (std::uint32_t half = 0; half < halves(request); ++half) {
    Operation& operation = rank_.operations[(request & ~kBothHalves) + half];
    operation.ended = by.event;
    operation.end_stream = by.stream;
    operation.cancelled = (by.bits & PLAIT_REFERENCE_CANCELLED) != 0;
    operation.freed = (by.bits & PLAIT_REFERENCE_FREED) != 0;
    if ((by.bits & PLAIT_REFERENCE_STATUS) != 0 && operation.wildcard) {
      set_status(operation, by.source, by.tag);
    }
  }
}

void RequestEnds::set_status(Operation& operation, int source, int tag) {
  operation.tag = tag;
  const std::uint32_t comm = trace_.shapes[operation.shape].comm;
  if (source < 0 || comm == kNone) {
    return;
  }
  if (peers_.size() < trace_.comms.size()) {
    peers_.resize(trace_.comms.size(), nullptr);
  }
  if (peers_[comm] == nullptr) {
    peers_[comm] = &trace_.comms[comm].peers_of(rank_.world_rank);
  }
  const auto index = static_cast<std::size_t>(source);
  if (index < peers_[comm]->size()) {
    operation.partner = (*peers_[comm])[index];
  }
}

void RequestEnds::finish() {
  if (foreign_.empty()) {
    return;
  }
  for (const Foreign& at : foreign_) {
    const auto thread = std::ranges::find(threads_, at.thread, &Thread::number);
    const std::uint32_t request =
        thread == threads_.end() ? kNone : thread->requests.operation(at.number);
    if (request != kNone) {
      rank_.ended[at.slot] = request & ~kBothHalves;
      end(request, at.reference);
    }
  }
  drop_unknown();
}

/// Removes unresolved references from the lists of ended operations.
void RequestEnds::drop_unknown() {
  std::vector<std::uint32_t> kept;
  kept.reserve(rank_.ended.size());
  for (Stream& stream : rank_.streams) {
    for (Event& event : stream.events) {
      const std::size_t before = kept.size();
      std::ranges::copy_if(rank_.completed_by(event), std::back_inserter(kept),
                           [](std::uint32_t operation) { return operation != kNone; });
      const std::size_t count = kept.size() - before;
      event.first_ended = count > 0 ? static_cast<std::uint32_t>(before) : kNone;
      event.ended_count = static_cast<std::uint16_t>(std::min<std::size_t>(count, kMany));
      if (event.ended_count == kMany) {
        kept.push_back(kNone);
      }
    }
  }
  rank_.ended = std::move(kept);
}

}  // namespace plait::trace
