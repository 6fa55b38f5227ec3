// SPDX-License-Identifier: BSD-3-Clause
// Messages for receives with tags.
#include "transport/channel.hpp"

#include <algorithm>
#include <cstring>

namespace plait::transport {
namespace {

/// True if a receive that takes several messages takes another one after this.
bool has_room_after(const Receive& receive, const Arrival& arrival) {
  return receive.room >= arrival.bytes && receive.room - arrival.bytes >= receive.least;
}

}  // namespace

Channel::~Channel() {
  while (Early* const early = early_.first()) {
    early_.remove(*early);
    Early::destroy(early);
  }
}

[[gnu::hot]] Place Channel::begin(const Arrival& arrival) {
  Receive* const receive =
      posted_.find([&](const Receive& one) { return one.pattern.takes(arrival); });
  if (receive == nullptr) {
    Early* const early = Early::create(arrival);
    early_.append(*early);
    return {early->data(), arrival.here, nullptr, true};
  }
  if (receive->least > 0 && has_room_after(*receive, arrival)) {
    Receive& part = next_part(*receive, arrival);
    return {part.data, part.room, &part, false};
  }
  Receive& part = receive->least > 0 ? next_part(*receive, arrival) : *receive;
  posted_.remove(*receive);
  return {part.data, part.room, &part, false};
}

/// The part for a message of a receive that takes several.
Receive& Channel::next_part(Receive& receive, const Arrival& arrival) {
  Receive& part = owner_.part_of(receive, !has_room_after(receive, arrival));
  part.data = receive.data;
  part.room = std::min(arrival.bytes, receive.room);
  receive.data += part.room;
  receive.room -= part.room;
  return part;
}

[[gnu::hot]] void Channel::end(const Arrival& arrival, void* item) {
  if (item == nullptr) return;  // it was discarded
  auto& receive = *static_cast<Receive*>(item);
  receive.arrival = arrival;
  owner_.received(receive);
}

[[gnu::hot]] void Channel::receive(Receive& receive) {
  while (Early* const early = find(receive.pattern)) {
    const bool again = receive.least > 0 && has_room_after(receive, early->arrival);
    Receive& part = receive.least > 0 ? next_part(receive, early->arrival) : receive;
    claim(*early);
    receive_claimed(*early, part);
    if (!again) return;
  }
  posted_.append(receive);
  messages_.queues().expect(receive.pattern.from);
}

void Channel::cancel(Receive& receive) noexcept {
  posted_.remove(receive);
  messages_.queues().withdraw(receive.pattern.from);
}

[[gnu::hot]] Early* Channel::find(const Pattern& pattern) const noexcept {
  return early_.find([&](const Early& one) { return pattern.takes(one.arrival); });
}

[[gnu::hot]] void Channel::claim(Early& early) noexcept {
  early_.remove(early);
}

[[gnu::hot]] void Channel::receive_claimed(Early& early, Receive& receive) {
  const Arrival arrival = early.arrival;
  const uint64_t here = std::min<uint64_t>(arrival.here, receive.room);
  if (here > 0) std::memcpy(receive.data, early.data(), here);
  Early::destroy(&early);
  if (arrival.here == arrival.bytes) {
    end(arrival, &receive);
  } else {
    messages_.accept(arrival, {receive.data, receive.room, &receive, false});
  }
}

void Channel::discard_claimed(Early& early) {
  const Arrival arrival = early.arrival;
  Early::destroy(&early);
  if (arrival.here < arrival.bytes) messages_.accept(arrival, {});
}

}  // namespace plait::transport
