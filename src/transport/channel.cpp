// SPDX-License-Identifier: BSD-3-Clause
// Messages for receives with tags.
#include "transport/channel.hpp"

#include <algorithm>
#include <cstring>

namespace plait::transport {

Channel::~Channel() {
  while (Early* const early = early_.first()) {
    early_.remove(*early);
    Early::destroy(early);
  }
}

Place Channel::begin(const Arrival& arrival) {
  Receive* const receive =
      posted_.find([&](const Receive& one) { return one.pattern.takes(arrival); });
  if (receive == nullptr) {
    Early* const early = Early::create(arrival);
    early_.append(*early);
    return {early->data(), arrival.here, nullptr, true};
  }
  posted_.remove(*receive);
  return {receive->data, receive->room, receive, false};
}

void Channel::end(const Arrival& arrival, void* item) {
  if (item == nullptr) return;  // it was discarded
  auto& receive = *static_cast<Receive*>(item);
  receive.arrival = arrival;
  owner_.received(receive);
}

void Channel::receive(Receive& receive) {
  Early* const early = find(receive.pattern);
  if (early == nullptr) {
    posted_.append(receive);
    messages_.queues().expect(receive.pattern.from);
    return;
  }
  claim(*early);
  receive_claimed(*early, receive);
}

void Channel::cancel(Receive& receive) noexcept {
  posted_.remove(receive);
  messages_.queues().withdraw(receive.pattern.from);
}

Early* Channel::find(const Pattern& pattern) const noexcept {
  return early_.find([&](const Early& one) { return pattern.takes(one.arrival); });
}

void Channel::claim(Early& early) noexcept {
  early_.remove(early);
}

void Channel::receive_claimed(Early& early, Receive& receive) {
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
