// SPDX-License-Identifier: BSD-3-Clause
// Messages of any size, in fragments or read in the sender's memory.
#include "transport/messages.hpp"

#include <algorithm>
#include <cstring>

#include "transport/foreign_memory.hpp"

namespace plait::transport {
namespace {

/// Copies a fragment to where it belongs in a message, as far as there is room.
void copy(const Place& place, uint64_t offset, const Fragment& fragment) {
  if (offset >= place.room) return;
  const uint64_t bytes = std::min<uint64_t>(fragment.header->bytes, place.room - offset);
  if (bytes > 0) std::memcpy(place.data + offset, fragment.data, bytes);
}

Arrival arrival_of(const Header& header, uint32_t here) {
  return {header.from, header.message, header.tag, header.note, header.flags, header.extent, here};
}

}  // namespace

void Messages::send(Send& send) {
  send.done = false;
  send.sent = 0;
  send.message = next_message_++;
  if (!to_begin_.empty() || !begin(send)) to_begin_.push_back(&send);
}

/// @return false if there is no memory now
bool Messages::begin(Send& send) {
  const bool whole = send.bytes <= kEagerBytes;
  const bool offers = send.bytes >= offer_bytes_ && !refuses_offers_[send.to];
  const auto here = offers ? 0 : static_cast<uint32_t>(std::min<uint64_t>(send.bytes, kEagerBytes));
  Header header{0,
                here,
                send.tag,
                send.bytes,
                send.note,
                send.message,
                whole ? Kind::whole : Kind::first,
                send.flags};
  const void* data = send.data;
  if (offers) {
    header.kind = Kind::offer;
    header.bytes = sizeof send.data;
    data = &send.data;
  }
  if (queues_.put(send.to, header, data) != Put::sent) return false;
  send.sent = here;
  if (whole) {
    send.done = true;
  } else {
    begun_.push_back(&send);
    queues_.expect(send.to);
  }
  return true;
}

bool Messages::progress(int most) {
  bool any = false;
  for (int taken = 0; taken < most && take_one(); ++taken) any = true;
  while (!answers_.empty() && answer()) any = true;
  while (!to_begin_.empty() && begin(*to_begin_.front())) {
    Send& send = *to_begin_.front();
    to_begin_.pop_front();
    any = true;
    if (send.done) receiver_.sent(send);
  }
  return continue_sends() || any;
}

bool Messages::take_one() {
  Fragment fragment{};
  if (!queues_.take(fragment)) return false;
  const Header header = *fragment.header;
  switch (header.kind) {
    case Kind::whole:
      take_whole(fragment);
      break;
    case Kind::first:
    case Kind::offer:
      take_first(fragment);
      break;
    case Kind::more:
      take_more(fragment);
      break;
    case Kind::go:
    case Kind::taken:
      queues_.release(fragment);
      take_answer(header);
      break;
  }
  return true;
}

void Messages::take_whole(const Fragment& fragment) {
  const Arrival arrival = arrival_of(*fragment.header, fragment.header->bytes);
  const Place place = receiver_.begin(arrival);
  copy(place, 0, fragment);
  queues_.release(fragment);
  queues_.received(arrival.from);
  if (!place.held) receiver_.end(arrival, place.item);
}

void Messages::take_first(const Fragment& fragment) {
  const bool offers = fragment.header->kind == Kind::offer;
  const void* source = nullptr;
  if (offers) std::memcpy(&source, fragment.data, sizeof source);
  const Arrival arrival = arrival_of(*fragment.header, offers ? 0 : fragment.header->bytes);
  const Place place = receiver_.begin(arrival);
  if (!offers) copy(place, 0, fragment);
  queues_.release(fragment);
  queues_.received(arrival.from);
  if (offers) held_offers_.push_back({arrival.from, arrival.message, source});
  if (!place.held) accept(arrival, place);
}

void Messages::accept(const Arrival& arrival, const Place& place) {
  const auto offer = std::ranges::find_if(held_offers_, [&](const Offer& one) {
    return one.from == arrival.from && one.message == arrival.message;
  });
  Answer answer{arrival.from, arrival.message, Kind::go, 0, arrival.here};
  if (offer != held_offers_.end()) {
    const void* const source = offer->source;
    held_offers_.erase(offer);
    if (pull(arrival, place, source)) {
      answer.kind = Kind::taken;
      answers_.push_back(answer);
      this->answer();
      receiver_.end(arrival, place.item);
      return;
    }
    answer.flags = kNoOffers;
  }
  incoming_.push_back({arrival, place, arrival.here});
  queues_.expect(arrival.from);  // the rest
  answers_.push_back(answer);
}

/// @return false if the sender's memory cannot be read
bool Messages::pull(const Arrival& arrival, const Place& place, const void* source) {
  const uint64_t bytes = std::min(arrival.bytes, place.room);
  if (arrival.from == queues_.self()) {
    std::memcpy(place.data, source, bytes);
  } else if (!read_foreign(queues_.node().process(arrival.from), place.data, source, bytes)) {
    return false;
  }
  ++pulled_;
  return true;
}

void Messages::take_more(const Fragment& fragment) {
  const Header& header = *fragment.header;
  const auto incoming = std::ranges::find_if(incoming_, [&](const Incoming& one) {
    return one.arrival.from == header.from && one.arrival.message == header.message;
  });
  copy(incoming->place, header.extent, fragment);
  incoming->received += header.bytes;
  queues_.release(fragment);
  if (incoming->received < incoming->arrival.bytes) return;
  const Incoming complete = *incoming;
  incoming_.erase(incoming);
  queues_.received(complete.arrival.from);
  receiver_.end(complete.arrival, complete.place.item);
}

void Messages::take_answer(const Header& header) {
  const auto found = std::ranges::find(begun_, header.message, &Send::message);
  Send& send = **found;
  begun_.erase(found);
  queues_.received(header.from);
  if (header.kind == Kind::taken) {
    finish(send);
    return;
  }
  if ((header.flags & kNoOffers) != 0) refuses_offers_[header.from] = true;
  send.sent = header.note;
  to_continue_.push_back(&send);
}

void Messages::finish(Send& send) {
  send.done = true;
  receiver_.sent(send);
}

/// @return false if there is no memory now
bool Messages::answer() {
  const Answer& first = answers_.front();
  const Header header{0, 0, 0, 0, first.note, first.message, first.kind, first.flags};
  if (queues_.put(first.to, header, nullptr) != Put::sent) return false;
  answers_.pop_front();
  return true;
}

bool Messages::continue_sends() {
  bool any = false;
  while (!to_continue_.empty()) {
    Send& send = *to_continue_.front();
    const uint64_t left = send.bytes - send.sent;
    const Header header{0,          static_cast<uint32_t>(std::min<uint64_t>(left, kFragmentBytes)),
                        send.tag,   send.sent,
                        0,          send.message,
                        Kind::more, 0};
    const auto* const data = static_cast<const std::byte*>(send.data) + send.sent;
    if (queues_.put(send.to, header, data) != Put::sent) return any;
    any = true;
    send.sent += header.bytes;
    if (send.sent < send.bytes) continue;
    to_continue_.pop_front();
    finish(send);
  }
  return any;
}

}  // namespace plait::transport
