// SPDX-License-Identifier: BSD-3-Clause
// A long trace, and what the page reads of a timeline: events and messages.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "base/json.hpp"
#include "column_values.hpp"
#include "made_trace.hpp"

namespace plait::report {

/// Two ranks compute for 0.1 ms and meet at a barrier, 3000 times.
inline trace::Trace many_barriers() {
  trace::MadeTrace made(2);
  for (int i = 0; i < 3000; ++i) {
    for (int rank = 0; rank < 2; ++rank) {
      made.compute(rank, 1e-4);
      made.collective(rank, "MPI_Barrier", 0, 1e-5);
    }
  }
  return made.take();
}

struct PageEvent {
  std::int64_t begin, duration, bytes, wait;
  nlohmann::json shape;
};

/// A group of events as the page reads it.
inline std::vector<PageEvent> events_of(const nlohmann::json& timeline,
                                        const nlohmann::json& group) {
  const std::size_t count = group["count"];
  const std::vector<std::uint64_t> values = values_of(group["columns"]);
  EXPECT_EQ(values.size(), 5 * count);
  std::vector<PageEvent> events;
  std::map<std::uint64_t, std::int64_t> bytes;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    begin += unzigzag(values[i]);
    const std::uint64_t shape = values[2 * count + i];
    bytes[shape] += unzigzag(values[3 * count + i]);
    events.push_back({begin, static_cast<std::int64_t>(values[count + i]), bytes[shape],
                      static_cast<std::int64_t>(values[4 * count + i]), timeline["shapes"][shape]});
  }
  return events;
}

struct PageMessage {
  std::int64_t begin, end;
  std::uint64_t sender, receiver;  ///< rows
};

inline std::vector<PageMessage> messages_of(const nlohmann::json& timeline) {
  const std::size_t count = timeline["messages"]["count"];
  const std::vector<std::uint64_t> values = values_of(timeline["messages"]["columns"]);
  EXPECT_EQ(values.size(), 6 * count);
  std::vector<PageMessage> messages;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    begin += unzigzag(values[i]);
    messages.push_back(
        {begin, begin + unzigzag(values[count + i]), values[2 * count + i], values[3 * count + i]});
  }
  return messages;
}

}  // namespace plait::report
