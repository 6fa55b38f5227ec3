// SPDX-License-Identifier: BSD-3-Clause
// Messages of any size, in fragments.
#include "transport/messages.hpp"

#include <algorithm>
#include <cstring>

namespace plait::transport {
namespace {

constexpr int kFragmentsPerProgress = 16;  ///< so that sends go on while many arrive

void copy(std::byte* into, const Fragment& fragment) {
  if (fragment.header->bytes > 0) std::memcpy(into, fragment.data, fragment.header->bytes);
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
  const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(send.bytes, kEagerBytes));
  const Header header{0,          bytes,        send.tag,
                      send.bytes, send.message, whole ? Kind::whole : Kind::first};
  if (queues_.put(send.to, header, send.data) != Put::sent) return false;
  send.sent = bytes;
  if (whole) {
    send.done = true;
  } else {
    begun_.push_back(&send);
    queues_.expect(send.to);
  }
  return true;
}

bool Messages::progress() {
  bool any = false;
  for (int taken = 0; taken < kFragmentsPerProgress && take_one(); ++taken) any = true;
  while (!answers_.empty() && answer()) any = true;
  while (!to_begin_.empty() && begin(*to_begin_.front())) {
    to_begin_.pop_front();
    any = true;
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
      take_first(fragment);
      break;
    case Kind::more:
      take_more(fragment);
      break;
    case Kind::go:
      queues_.release(fragment);
      take_go(header);
      break;
  }
  return true;
}

void Messages::take_whole(const Fragment& fragment) {
  const Header& header = *fragment.header;
  const Arrival arrival{header.from, header.tag, header.extent};
  std::byte* const data = receiver_.begin(arrival);
  copy(data, fragment);
  queues_.release(fragment);
  queues_.received(arrival.from);
  receiver_.end(arrival, data);
}

void Messages::take_first(const Fragment& fragment) {
  const Header& header = *fragment.header;
  const Arrival arrival{header.from, header.tag, header.extent};
  const Answer answer{header.from, header.message};
  std::byte* const data = receiver_.begin(arrival);
  copy(data, fragment);
  incoming_.push_back({arrival, header.message, data, header.bytes});
  queues_.release(fragment);
  queues_.received(arrival.from);
  queues_.expect(arrival.from);  // the rest
  answers_.push_back(answer);
}

void Messages::take_more(const Fragment& fragment) {
  const Header& header = *fragment.header;
  const auto incoming = std::ranges::find_if(incoming_, [&](const Incoming& one) {
    return one.arrival.from == header.from && one.message == header.message;
  });
  copy(incoming->data + header.extent, fragment);
  incoming->received += header.bytes;
  queues_.release(fragment);
  if (incoming->received < incoming->arrival.bytes) return;
  const Incoming complete = *incoming;
  incoming_.erase(incoming);
  queues_.received(complete.arrival.from);
  receiver_.end(complete.arrival, complete.data);
}

void Messages::take_go(const Header& header) {
  const auto send = std::ranges::find(begun_, header.message, &Send::message);
  queues_.received(header.from);
  to_continue_.push_back(*send);
  begun_.erase(send);
}

/// @return false if there is no memory now
bool Messages::answer() {
  const Header header{0, 0, 0, 0, answers_.front().message, Kind::go};
  if (queues_.put(answers_.front().to, header, nullptr) != Put::sent) return false;
  answers_.pop_front();
  return true;
}

bool Messages::continue_sends() {
  bool any = false;
  while (!to_continue_.empty()) {
    Send& send = *to_continue_.front();
    const uint64_t left = send.bytes - send.sent;
    const Header header{0,
                        static_cast<uint32_t>(std::min<uint64_t>(left, kFragmentBytes)),
                        send.tag,
                        send.sent,
                        send.message,
                        Kind::more};
    const auto* const data = static_cast<const std::byte*>(send.data) + send.sent;
    if (queues_.put(send.to, header, data) != Put::sent) return any;
    any = true;
    send.sent += header.bytes;
    if (send.sent < send.bytes) continue;
    to_continue_.pop_front();
    send.done = true;
  }
  return any;
}

}  // namespace plait::transport
