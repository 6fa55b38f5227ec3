// SPDX-License-Identifier: BSD-3-Clause
// The messages of collective operations by the usual algorithms.
#include "remap/collective_messages.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace plait::remap {
namespace {

struct Sent {
  double messages = 0, bytes = 0;
};

/// What all members of MPI_COMM_WORLD send in `count` calls with `bytes` each.
std::map<std::pair<int, int>, Sent> messages_of(const std::string& function, int size,
                                                int root = -1, std::uint64_t bytes = 8,
                                                std::uint64_t count = 3) {
  std::map<std::pair<int, int>, Sent> all;
  for (int rank = 0; rank < size; ++rank) {
    trace::Communicator comm;
    comm.my_rank = rank;
    comm.members.append(0, static_cast<std::uint32_t>(size), 1);
    trace::CollectiveEntry calls;
    calls.function = trace::SharedText(function);
    calls.root = root;
    calls.count = count;
    calls.bytes = count * bytes;
    collective_messages(comm, calls, [&](int to, double messages, double sent) {
      EXPECT_NE(to, rank);
      all[{rank, to}].messages += messages;
      all[{rank, to}].bytes += sent;
    });
  }
  return all;
}

double total(const std::map<std::pair<int, int>, Sent>& all, double Sent::*what) {
  return std::accumulate(all.begin(), all.end(), 0.0,
                         [&](double sum, const auto& of) { return sum + of.second.*what; });
}

TEST(CollectiveMessages, GoDownATreeInBcastAndUpInReduce) {
  for (int size = 1; size <= 9; ++size) {
    for (int root = 0; root < size; ++root) {
      const auto down = messages_of("MPI_Ibcast", size, root),
                 up = messages_of("MPI_Reduce", size, root);
      // Each process but the root receives once in each call.
      std::map<int, int> senders;
      for (const auto& [pair, sent] : down) {
        ++senders[pair.second];
        EXPECT_EQ(sent.messages, 3);
        EXPECT_EQ(sent.bytes, 24);
        EXPECT_TRUE(up.contains({pair.second, pair.first}));
      }
      EXPECT_EQ(senders.size(), static_cast<std::size_t>(size) - 1);
      EXPECT_FALSE(senders.contains(root));
      EXPECT_EQ(up.size(), down.size());
    }
  }
}

TEST(CollectiveMessages, DoubleInAllreduce) {
  const auto eight = messages_of("MPI_Allreduce", 8);
  EXPECT_EQ(eight.size(), 24U);
  for (const auto& [pair, sent] : eight) {
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(pair.first ^ pair.second)));
  }
  // 0 and 2 send to 1 and 3, which exchange with the others and answer.
  const auto six = messages_of("MPI_Allreduce", 6);
  std::set<std::pair<int, int>> pairs;
  for (const auto& [pair, sent] : six) pairs.insert(pair);
  EXPECT_EQ(pairs, (std::set<std::pair<int, int>>{{0, 1},
                                                  {1, 0},
                                                  {2, 3},
                                                  {3, 2},
                                                  {1, 3},
                                                  {3, 1},
                                                  {4, 5},
                                                  {5, 4},
                                                  {1, 4},
                                                  {4, 1},
                                                  {3, 5},
                                                  {5, 3}}));
}

TEST(CollectiveMessages, ReachAllInABarrier) {
  const auto five = messages_of("MPI_Barrier", 5, -1, 0);
  EXPECT_EQ(total(five, &Sent::messages), 3 * 5 * 3);
  EXPECT_TRUE(five.contains({4, 0}) && five.contains({4, 1}) && five.contains({4, 3}));
}

TEST(CollectiveMessages, CarryAllBlocksInAllgather) {
  for (const int size : {2, 5, 8}) {
    for (const std::uint64_t bytes : {std::uint64_t{8}, std::uint64_t{1} << 20U}) {
      // Each process receives the blocks of all others.
      EXPECT_EQ(total(messages_of("MPI_Allgather", size, -1, bytes), &Sent::bytes),
                3. * size * (size - 1) * static_cast<double>(bytes));
    }
  }
  const auto ring = messages_of("MPI_Allgatherv", 4, -1, 1U << 20U);
  EXPECT_EQ(ring.size(), 4U);
  EXPECT_EQ(ring.at({3, 0}).messages, 9);
}

TEST(CollectiveMessages, GoToTheRootOrToEachOther) {
  EXPECT_EQ(messages_of("MPI_Gatherv", 4, 2).size(), 3U);
  EXPECT_EQ(messages_of("MPI_Scatter", 4, 2).size(), 3U);
  EXPECT_EQ(messages_of("MPI_Alltoall", 4).size(), 12U);
  EXPECT_EQ(messages_of("MPI_Reduce_scatter_block", 4).size(), 12U);
  EXPECT_EQ(messages_of("MPI_Scan", 4).size(), 5U);
}

TEST(CollectiveMessages, AreNotKnownOfOtherCalls) {
  EXPECT_TRUE(messages_of("MPI_Alltoallv", 4).empty());
  EXPECT_TRUE(messages_of("MPI_Bcast", 4, -1).empty());
  trace::Communicator between;
  between.members.append(0, 2, 1);
  between.remote_members.append(2, 2, 1);
  trace::CollectiveEntry calls;
  calls.function = trace::SharedText("MPI_Barrier");
  calls.count = 1;
  const SendTo none = [](int, double, double) { FAIL(); };
  collective_messages(between, calls, none);
  collective_messages({}, calls, none);
}

}  // namespace
}  // namespace plait::remap
