// SPDX-License-Identifier: BSD-3-Clause
// Ping-pong and ping-ping, written once for MPI and for the bare bound beside it.
//
// As in Henriksen 2008, section 5.1.1: the leader waits until the partner is ready, starts the
// clock, sends, receives, stops the clock; each side has a buffer for sending and one for
// receiving. Beyond his, the sender writes its message before every send (outside the time of long
// messages), as a program does: without it the receiver's cache would still hold the last message.
#pragma once

#include <cstddef>
#include <cstring>

#include "measure/clock.hpp"

namespace plait::measure {

/// Up to this size a sample is timed as a whole, since reading the clock costs as much as a
/// message; the few bytes written before each send are then part of the time.
inline constexpr std::size_t kTimedAsWholeUpTo = 1024;

/// One side's buffers. Off-cache, each message lies at a new place of a region larger than the
/// last-level cache, and nothing is written before the send: the data come from memory.
struct Side {
  std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::size_t region_bytes = 0;  ///< of each of the two
  bool off_cache = false;
  std::size_t at = 0;

  /// Goes to the place of the next message and, in cache, writes new data there.
  void next(std::size_t bytes, int repetition) {
    if (!off_cache) {
      std::memset(send, repetition & 0x7f, bytes);
      return;
    }
    // One page further at least, so that neither line nor prefetcher is the last message's.
    constexpr std::size_t kPage = 4096;
    at += (bytes / kPage + 1) * kPage;
    if (at + bytes > region_bytes) at = 0;
  }
  [[nodiscard]] std::byte* to_send() const { return send + (off_cache ? at : 0); }
  [[nodiscard]] std::byte* to_receive() const { return receive + (off_cache ? at : 0); }
};

// A Channel carries messages between two sides:
//   void send(const std::byte*, std::size_t);   void receive(std::byte*, std::size_t);
//   void signal();  void await_signal();        an empty message
//   void await_reusable();                      until what was sent may be overwritten
//   void exchange(const std::byte*, std::byte*, std::size_t);  send and receive at once; returns
//                                               when the own send buffer may be written again

/// The side that reads the clock.
/// @return seconds of `repetitions` round trips
template <class Channel>
double pingpong_leader(Channel& channel, Side& side, std::size_t bytes, int repetitions) {
  if (bytes <= kTimedAsWholeUpTo) {
    channel.await_signal();
    const std::int64_t begin = now_ns();
    for (int r = 0; r < repetitions; ++r) {
      side.next(bytes, r);
      channel.send(side.to_send(), bytes);
      channel.receive(side.to_receive(), bytes);
    }
    return static_cast<double>(now_ns() - begin) * 1e-9;
  }
  std::int64_t total = 0;
  for (int r = 0; r < repetitions; ++r) {
    side.next(bytes, r);
    channel.await_signal();
    const std::int64_t begin = now_ns();
    channel.send(side.to_send(), bytes);
    channel.receive(side.to_receive(), bytes);
    total += now_ns() - begin;
  }
  return static_cast<double>(total) * 1e-9;
}

/// The other side.
template <class Channel>
void pingpong_follower(Channel& channel, Side& side, std::size_t bytes, int repetitions) {
  if (bytes <= kTimedAsWholeUpTo) {
    channel.signal();
    for (int r = 0; r < repetitions; ++r) {
      // Off-cache, `next` moves the place to receive at, too.
      if (side.off_cache) side.next(bytes, r);
      channel.receive(side.to_receive(), bytes);
      // Only now, since the leader has then copied the last message.
      if (!side.off_cache) side.next(bytes, r);
      channel.send(side.to_send(), bytes);
    }
    return;
  }
  for (int r = 0; r < repetitions; ++r) {
    channel.await_reusable();
    side.next(bytes, r);
    channel.signal();
    channel.receive(side.to_receive(), bytes);
    channel.send(side.to_send(), bytes);
  }
}

/// Both sides send at once (IMB's PingPing); `leads` says which side waits for the other's signal.
/// Its clock starts one latency after the other side's: it finds the first message too early by as
/// much as the other side finds it too late.
/// @return seconds of `repetitions` exchanges, the mean of both sides
template <class Channel>
double pingping(Channel& channel, Side& side, bool leads, std::size_t bytes, int repetitions) {
  std::int64_t total = 0;
  const bool whole = bytes <= kTimedAsWholeUpTo;
  std::int64_t begin = 0;
  for (int r = 0; r < repetitions; ++r) {
    if (!whole || r == 0) {
      if (!whole) side.next(bytes, r);
      // Both ways, so that the sides start together.
      if (leads) channel.signal();
      channel.await_signal();
      if (!leads) channel.signal();
      begin = now_ns();
    }
    if (whole) side.next(bytes, r);
    channel.exchange(side.to_send(), side.to_receive(), bytes);
    if (!whole) total += now_ns() - begin;
  }
  if (whole) total = now_ns() - begin;
  std::int64_t other = 0;
  channel.exchange(reinterpret_cast<const std::byte*>(&total), reinterpret_cast<std::byte*>(&other),
                   sizeof total);
  return static_cast<double>(total + other) / 2 * 1e-9;
}

}  // namespace plait::measure
