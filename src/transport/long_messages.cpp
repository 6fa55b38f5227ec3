// SPDX-License-Identifier: BSD-3-Clause
// Long messages: the receiver reads them in the sender's memory, or takes them from a stream.
#include <algorithm>
#include <cstring>

#include "base/pause.hpp"
#include "transport/clock.hpp"
#include "transport/foreign_memory.hpp"
#include "transport/messages.hpp"

namespace plait::transport {
namespace {

/// How often a process looks whether the other end of a stream has moved before it does something
/// else.
constexpr uint32_t kLooks = 64;

/// A sender that has not moved its stream for so long does something else.
constexpr uint64_t kDelayNs = 20'000;

const Cut& cut_of(Way way) {
  return way == Way::small_pieces ? kSmallPieces : kLargePieces;
}

}  // namespace

bool Messages::may_offer(const Send& send) const {
  if (send.bytes < offer_bytes_) return false;
  return !refuses_offers_[send.to] || send.stream != 0 || !free_streams_.empty() || streams_ > 0;
}

/// @param expected  the receive was there before, so the sender is probably at work at the message
void Messages::accept_offer(const Offer& offer, const Arrival& arrival, const Place& place,
                            bool expected) {
  const bool may_pull = !cannot_pull_[arrival.from];
  const bool chooses = offer.stream != 0 && expected && may_pull && place.room >= arrival.bytes;
  const Way way = chooses                          ? ways_.choose(arrival.from, arrival.bytes)
                  : offer.stream != 0 && !may_pull ? Way::small_pieces
                                                   : Way::pull;
  const uint64_t begun = offer.stream != 0 ? now_ns() : 0;
  if (way == Way::pull && pull(offer, place, 0, arrival.bytes)) {
    if (chooses) ways_.took(arrival.from, arrival.bytes, way, now_ns() - begun);
    end_pulled(arrival, place);
    return;
  }
  if (offer.stream == 0) {
    expect_rest(arrival, place, kNoOffers);
    return;
  }
  const Way streams = way == Way::pull ? Way::small_pieces : way;
  incoming_streams_.push_back(
      {arrival, place, offer, streams, queues_.node().at<Stream>(offer.stream), 0, begun, begun});
  answers_.push_back(
      {arrival.from, arrival.message, Kind::go, streams == Way::small_pieces ? kSmall : kLarge, 0});
}

void Messages::end_pulled(const Arrival& arrival, const Place& place) {
  ++pulled_;
  answers_.push_back({arrival.from, arrival.message, Kind::taken, 0, 0});
  answer();
  receiver_.end(arrival, place.item);
}

/// Reads a part of a message in its sender's memory. @return false if that is not permitted
bool Messages::pull(const Offer& offer, const Place& place, uint64_t begin, uint64_t end) {
  const uint64_t most = std::min(end, place.room);
  if (begin >= most) return true;
  const auto* const from = static_cast<const std::byte*>(offer.source) + begin;
  if (offer.from == queues_.self()) {
    std::memcpy(place.data + begin, from, most - begin);
    return true;
  }
  if (read_foreign(queues_.node().process(offer.from), place.data + begin, from, most - begin))
    return true;
  cannot_pull_[offer.from] = true;
  return false;
}

/// @return the offset of a stream that is not in use; 0: there is none
uint64_t Messages::take_stream() {
  if (!free_streams_.empty()) {
    const uint64_t at = free_streams_.back();
    free_streams_.pop_back();
    queues_.node().at<Stream>(at)->begin();
    return at;
  }
  if (streams_ == 0) return 0;
  free_streams_.reserve(kStreams);
  --streams_;
  const uint64_t at = queues_.allocate(sizeof(Stream));
  if (at == 0) streams_ = 0;
  return at;  // new memory is 0
}

void Messages::return_stream(Send& send) {
  if (send.stream != 0) free_streams_.push_back(send.stream);
  send.stream = 0;
}

void Messages::begin_stream(Send& send, uint16_t flags) {
  outgoing_streams_.push_back({&send, queues_.node().at<Stream>(send.stream),
                               (flags & kSmall) != 0 ? kSmallPieces : kLargePieces});
}

/// Moves pieces as long as the other ends do so too, or until a message is complete.
/// @return true if anything has moved
bool Messages::move_streams() {
  const std::size_t count = outgoing_streams_.size() + incoming_streams_.size();
  bool any = false;
  for (uint32_t look = 0; look < kLooks; ++look) {
    const bool sent = move_outgoing();
    if (move_incoming() || sent) {
      if (outgoing_streams_.size() + incoming_streams_.size() < count) return true;
      any = true;
      look = 0;
    } else {
      pause_cpu();
    }
  }
  return pull_delayed() || any;
}

bool Messages::move_outgoing() {
  bool any = false;
  for (std::size_t at = 0; at < outgoing_streams_.size();) {
    const OutgoingStream out = outgoing_streams_[at];
    Send& send = *out.send;
    any |= put_pieces(*out.stream, out.cut, static_cast<const std::byte*>(send.data), send.bytes,
                      send.sent);
    // The receiver may read in the message until it has taken all of it.
    if (send.sent < send.bytes || !out.stream->is_taken(send.bytes)) {
      ++at;
      continue;
    }
    outgoing_streams_.erase(outgoing_streams_.begin() + static_cast<std::ptrdiff_t>(at));
    finish(send);
    any = true;
  }
  return any;
}

bool Messages::move_incoming() {
  bool any = false;
  for (std::size_t at = 0; at < incoming_streams_.size();) {
    IncomingStream& in = incoming_streams_[at];
    if (take_pieces(*in.stream, cut_of(in.way), in.place.data, in.place.room, in.received)) {
      any = true;
      in.moved_ns = 0;  // pull_delayed() notes the time
    }
    if (in.received < in.arrival.bytes) {
      ++at;
      continue;
    }
    const IncomingStream done = in;
    incoming_streams_.erase(incoming_streams_.begin() + static_cast<std::ptrdiff_t>(at));
    ways_.took(done.arrival.from, done.arrival.bytes, done.way, now_ns() - done.begun_ns);
    ++streamed_;
    receiver_.end(done.arrival, done.place.item);
  }
  return any;
}

/// Reads the rest of messages whose senders do something else. @return false if there are none
bool Messages::pull_delayed() {
  if (incoming_streams_.empty()) return false;
  make_room();
  bool any = false;
  const uint64_t now = now_ns();
  for (std::size_t at = 0; at < incoming_streams_.size();) {
    IncomingStream& in = incoming_streams_[at];
    if (in.moved_ns == 0) in.moved_ns = now;
    if (now - in.moved_ns < kDelayNs || cannot_pull_[in.arrival.from] ||
        !pull(in.offer, in.place, in.received, in.arrival.bytes)) {
      ++at;
      continue;
    }
    const IncomingStream done = in;
    incoming_streams_.erase(incoming_streams_.begin() + static_cast<std::ptrdiff_t>(at));
    ways_.took(done.arrival.from, done.arrival.bytes, done.way, now_ns() - done.begun_ns);
    end_pulled(done.arrival, done.place);
    any = true;
  }
  return any;
}

}  // namespace plait::transport
