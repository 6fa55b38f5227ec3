// SPDX-License-Identifier: BSD-3-Clause
// Messages of any size, in fragments.
#include "transport/messages.hpp"

#include <algorithm>
#include <cstring>

namespace plait::transport {
namespace {

/// Copies a fragment to where it belongs in a message, as far as there is room.
void copy(const Place& place, uint64_t offset, const Fragment& fragment) {
  if (offset >= place.room) return;
  copy_bytes(place.data + offset, fragment.data,
             std::min<uint64_t>(fragment.header->bytes, place.room - offset));
}

Arrival arrival_of(const Header& header, uint32_t here) {
  return {header.from, header.message, header.tag, header.note, header.flags, header.extent, here};
}

/// So that the next element needs no memory.
template <class Item>
void reserve_one(std::vector<Item>& items) {
  constexpr std::size_t kLeast = 8;
  if (items.size() == items.capacity()) items.reserve(std::max(kLeast, 2 * items.size()));
}

}  // namespace

[[gnu::hot]] void Messages::send(Send& send) {
  send.done = false;
  send.sent = 0;
  send.stream = 0;
  send.message = next_message_++;
  if (!to_begin_.empty() || !begin(send)) to_begin_.push_back(&send);
}

/// @return false if there is no memory now
[[gnu::hot]] bool Messages::begin(Send& send) {
  const bool whole = send.bytes <= kEagerBytes;
  const bool asks_receipt = (send.flags & kAsksReceipt) != 0;
  if (!whole || asks_receipt) reserve_one(begun_);
  const bool offers = may_offer(send);
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
  Offer offer{};
  if (offers) {
    if (send.stream == 0 && send.to != queues_.self()) send.stream = take_stream();
    offer = {send.data, send.stream, 0, 0};
    header.kind = Kind::offer;
    header.bytes = sizeof offer;
    data = &offer;
  }
  if (queues_.put(send.to, header, data) != Put::sent) return false;
  if (queues_.crowded()) waiter_.let_others_run();
  send.sent = here;
  if (whole && !asks_receipt) {
    send.done = true;
  } else {
    begun_.push_back(&send);
    queues_.expect(send.to);
  }
  return true;
}

[[gnu::hot]] bool Messages::progress(int most) {
  bool any = false;
  for (int taken = 0; taken < most && take_one(); ++taken) any = true;
  while (!answers_.empty() && answer()) any = true;
  while (!to_begin_.empty() && begin(*to_begin_.front())) {
    Send& send = *to_begin_.front();
    to_begin_.pop_front();
    any = true;
    if (send.done) receiver_.sent(send);
  }
  if (!to_continue_.empty() && continue_sends()) any = true;
  if (streams_move() && move_streams()) any = true;
  return any;
}

[[gnu::hot]] bool Messages::take_one() {
  if (!has_fragment_) has_fragment_ = queues_.take(fragment_);
  if (!has_fragment_) return false;
  // If that throws, the fragment stays for the next call.
  if (fragment_.header->kind != Kind::whole) make_room();
  handle(fragment_);
  has_fragment_ = false;
  return true;
}

void Messages::make_room() {
  reserve_one(answers_);
  reserve_one(incoming_);
  reserve_one(held_offers_);
  reserve_one(incoming_streams_);
  reserve_one(outgoing_streams_);
}

/// Releases the fragment. Nothing throws after anything was changed.
[[gnu::hot]] void Messages::handle(const Fragment& fragment) {
  switch (fragment.header->kind) {
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
      take_answer(fragment);
      break;
  }
}

[[gnu::hot]] void Messages::take_whole(const Fragment& fragment) {
  const Arrival arrival = arrival_of(*fragment.header, fragment.header->bytes);
  if ((arrival.flags & kAsksReceipt) != 0) reserve_one(answers_);
  const Place place = receiver_.begin(arrival);
  copy(place, 0, fragment);
  queues_.release(fragment);
  queues_.received(arrival.from);
  give_receipt(arrival);
  if (!place.held) receiver_.end(arrival, place.item);
}

void Messages::take_first(const Fragment& fragment) {
  const bool offers = fragment.header->kind == Kind::offer;
  Offer offer{};
  if (offers) std::memcpy(&offer, fragment.data, sizeof offer);
  const Arrival arrival = arrival_of(*fragment.header, offers ? 0 : fragment.header->bytes);
  offer.from = arrival.from;
  offer.message = arrival.message;
  const Place place = receiver_.begin(arrival);
  if (!offers) copy(place, 0, fragment);
  queues_.release(fragment);
  queues_.received(arrival.from);
  if (offers && place.held) {
    held_offers_.push_back(offer);
  } else if (offers) {
    accept_offer(offer, arrival, place, true);
  } else if (!place.held) {
    expect_rest(arrival, place, 0);
  }
}

void Messages::accept(const Arrival& arrival, const Place& place) {
  make_room();
  const auto held = std::ranges::find_if(held_offers_, [&](const Offer& one) {
    return one.from == arrival.from && one.message == arrival.message;
  });
  if (held == held_offers_.end()) {
    expect_rest(arrival, place, 0);
    return;
  }
  const Offer offer = *held;
  held_offers_.erase(held);
  accept_offer(offer, arrival, place, false);
}

/// Lets the sender send what is not here yet.
void Messages::expect_rest(const Arrival& arrival, const Place& place, uint16_t flags) {
  incoming_.push_back({arrival, place, arrival.here});
  queues_.expect(arrival.from);
  answers_.push_back({arrival.from, arrival.message, Kind::go, flags, arrival.here});
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
  give_receipt(complete.arrival);
  receiver_.end(complete.arrival, complete.place.item);
}

void Messages::give_receipt(const Arrival& arrival) {
  if ((arrival.flags & kAsksReceipt) == 0) return;
  answers_.push_back({arrival.from, arrival.message, Kind::taken, 0, 0});
}

void Messages::take_answer(const Fragment& fragment) {
  const Header header = *fragment.header;
  if (header.kind == Kind::taken) {
    queues_.release(fragment);
    queues_.received(header.from);
    const auto streamed = std::ranges::find_if(outgoing_streams_, [&](const OutgoingStream& one) {
      return one.send->message == header.message;
    });
    if (streamed != outgoing_streams_.end()) {
      Send& send = *streamed->send;
      outgoing_streams_.erase(streamed);
      finish(send);
      return;
    }
  }
  const auto found = std::ranges::find(begun_, header.message, &Send::message);
  Send& send = **found;
  const bool goes = header.kind == Kind::go;
  const bool streams = (header.flags & (kSmall | kLarge)) != 0;
  if (goes && !streams) {
    send.sent = header.note;
    to_continue_.push_back(&send);
  }
  begun_.erase(found);
  if (!goes) {
    finish(send);
    return;
  }
  queues_.release(fragment);
  queues_.received(header.from);
  if ((header.flags & kNoOffers) != 0) refuses_offers_[header.from] = true;
  if (streams) begin_stream(send, header.flags);
}

void Messages::finish(Send& send) {
  return_stream(send);
  send.done = true;
  receiver_.sent(send);
}

/// @return false if there is no memory now
bool Messages::answer() {
  const Answer& first = answers_.front();
  const Header header{0, 0, 0, 0, first.note, first.message, first.kind, first.flags};
  if (queues_.put(first.to, header, nullptr) != Put::sent) return false;
  answers_.erase(answers_.begin());
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
    if ((send.flags & kAsksReceipt) != 0) reserve_one(begun_);
    if (queues_.put(send.to, header, data) != Put::sent) return any;
    any = true;
    send.sent += header.bytes;
    if (send.sent < send.bytes) continue;
    to_continue_.pop_front();
    if ((send.flags & kAsksReceipt) == 0) {
      finish(send);
    } else {
      begun_.push_back(&send);
      queues_.expect(send.to);
    }
  }
  return any;
}

}  // namespace plait::transport
