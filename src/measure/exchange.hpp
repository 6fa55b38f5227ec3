// SPDX-License-Identifier: BSD-3-Clause
// Ping-pong and ping-ping, shared by MPI and the lower bound without MPI.
//
// As in Henriksen 2008, section 5.1.1, the leader waits until the partner is ready, starts the
// clock, sends, receives and stops the clock; each side has one buffer for sending and one for
// receiving. In addition, the sender writes its message before every send, as a program does;
// otherwise the receiver's cache would still contain the previous message. Long messages are
// written outside the measured time.
#pragma once

#include <cstddef>
#include <cstring>

#include "measure/clock.hpp"

namespace plait::measure {

/// Up to this size a sample is timed as a whole, because reading the clock costs as much as a
/// message. The time then includes writing the few bytes before each send.
inline constexpr std::size_t kTimedAsWholeUpTo = 1024;

/// The buffers of one side. Off-cache, each message is at a new place in a region larger than the
/// last-level cache, and nothing is written before the send, so the data come from memory.
struct Side {
  std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::size_t region_bytes = 0;  ///< of each of the two
  bool off_cache = false;
  std::size_t at = 0;

  /// Moves to the place of the next message (off-cache) or writes new data (in cache).
  void next(std::size_t bytes, int repetition) {
    if (!off_cache) {
      std::memset(send, repetition & 0x7f, bytes);
      return;
    }
    // At least one page further, away from the lines and prefetches of the previous message.
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
//   void await_reusable();                      waits until sent data may be overwritten
//   void exchange(const std::byte*, std::byte*, std::size_t);  sends and receives at once; returns
//                                               when the send buffer may be overwritten

/// Runs the side of a ping-pong that reads the clock.
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

/// Runs the other side of pingpong_leader().
template <class Channel>
void pingpong_follower(Channel& channel, Side& side, std::size_t bytes, int repetitions) {
  if (bytes <= kTimedAsWholeUpTo) {
    channel.signal();
    for (int r = 0; r < repetitions; ++r) {
      // Off-cache, `next` also moves the place to receive at.
      if (side.off_cache) side.next(bytes, r);
      channel.receive(side.to_receive(), bytes);
      // Not earlier: only now has the leader copied the last message.
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

/// Runs one side of an exchange in which both sides send at once (PingPing of IMB). The clocks of
/// the sides start one latency apart, so one side measures too little and the other too much by the
/// same amount.
/// @param leads  true on exactly one side, which signals first
/// @return seconds of `repetitions` exchanges, the mean of both sides
template <class Channel>
double pingping(Channel& channel, Side& side, bool leads, std::size_t bytes, int repetitions) {
  std::int64_t total = 0;
  const bool whole = bytes <= kTimedAsWholeUpTo;
  std::int64_t begin = 0;
  for (int r = 0; r < repetitions; ++r) {
    if (!whole || r == 0) {
      if (!whole) side.next(bytes, r);
      // In both directions, so that the sides start together.
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
