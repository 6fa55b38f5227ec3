// SPDX-License-Identifier: BSD-3-Clause
// All members of a node in one process, and fragments for them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/queues.hpp"

namespace plait::transport {

struct Members {
  Members(const Design& design, uint32_t count) : Members(design, count, design.demand(count)) {}

  Members(const Design& design, uint32_t count, const Demand& demand)
      : node(Node::create(count, static_cast<uint32_t>(&design - designs().data()), demand)) {
    for (uint32_t self = 0; self < count; ++self) queues.push_back(join(node, self));
  }

  Queues& operator[](uint32_t self) { return *queues[self]; }

  Node node;
  std::vector<std::unique_ptr<Queues>> queues;
};

/// Data that depend on a number.
inline std::string text_of(uint64_t number, uint32_t bytes) {
  static const std::string letters = [] {
    std::string text;
    while (text.size() < (1 << 20) + 23) text += "abcdefghijklmnopqrstuvw";
    return text;
  }();
  return letters.substr(number % 23, bytes);
}

inline Put put(Queues& queues, uint32_t to, uint64_t tag, uint32_t bytes) {
  const std::string data = text_of(tag, bytes);
  return queues.put(to, {0, bytes, tag, bytes, 0, 0, Kind::whole, 0}, data.data());
}

/// Takes a fragment, checks its data and releases it. @return its header; none if there is none
inline std::optional<Header> take(Queues& queues) {
  Fragment fragment{};
  if (!queues.take(fragment)) return std::nullopt;
  const Header header = *fragment.header;
  const std::string expected = text_of(header.tag, header.bytes);
  EXPECT_TRUE(header.bytes == 0 || std::memcmp(fragment.data, expected.data(), header.bytes) == 0)
      << "tag " << header.tag << ", " << header.bytes << " bytes";
  queues.release(fragment);
  return header;
}

/// The same, for designs that do not poll every queue each time.
inline std::optional<Header> take_patiently(Queues& queues) {
  for (int poll = 0; poll < 100; ++poll) {
    if (const auto header = take(queues)) return header;
  }
  return std::nullopt;
}

}  // namespace plait::transport
