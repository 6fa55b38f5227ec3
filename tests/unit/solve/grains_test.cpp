// SPDX-License-Identifier: BSD-3-Clause
// Tests of blocks of grains without MPI: order, dependencies, failures, sizes.
#include "plait/grains.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "plait/error.hpp"

namespace plait {
namespace {

using Task = GrainBlock::Task;

GrainOptions with_threads(int threads) {
  GrainOptions options;
  options.threads = threads;
  return options;
}

TEST(Grains, EachRunsOnceInEveryRunWithAnyNumberOfThreads) {
  for (int threads = 1; threads <= 8; ++threads) {
    std::array<std::atomic<int>, 50> times{};
    GrainBlock block("count", with_threads(threads));
    block.compute("grain", 50, [&](int grain) { ++times[static_cast<std::size_t>(grain)]; });
    for (int run = 1; run <= 3; ++run) {
      block.run();
      for (const auto& one : times) EXPECT_EQ(one, run);
    }
  }
}

/// The block of the CG paper: message i depends on grain i only, and messages go in order.
TEST(Grains, MessagesFollowTheirGrainsInOrder) {
  for (const auto who : {CommunicatingThread::master, CommunicatingThread::first}) {
    for (int threads = 1; threads <= 4; ++threads) {
      std::vector<int> value(40, 0), sent;
      GrainOptions options = with_threads(threads);
      options.communicating = who;
      GrainBlock block("product", options);
      const Task product =
          block.compute("P", 40, [&](int i) { value[static_cast<std::size_t>(i)] += i + 1; });
      const Task exchange = block.communicate(
          "M", 40, [&](int i) { sent.push_back(value[static_cast<std::size_t>(i)]); });
      block.after_each(exchange, product);
      block.run();
      ASSERT_EQ(sent.size(), 40u);
      for (int i = 0; i < 40; ++i) EXPECT_EQ(sent[static_cast<std::size_t>(i)], i + 1);
    }
  }
}

TEST(Grains, OnlyTheMasterCommunicatesUnlessTheFirstMay) {
  std::atomic<int> other{0};
  GrainBlock block("who", with_threads(4));
  block.compute("P", 20, [](int) {});
  block.communicate("M", 20, [&](int) { other += omp_get_thread_num() != 0 ? 1 : 0; });
  block.run();
  EXPECT_EQ(other, 0);
}

/// Random graphs of all kinds of tasks: each part sees what it depends on.
TEST(Grains, OfRandomGraphsSeeWhatTheyDependOn) {
  std::mt19937 random(7);
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
  };
  for (int graph = 0; graph < 60; ++graph) {
    GrainOptions options = with_threads(1 + below(4));
    options.grains_before = below(3) - 1;
    options.communicating =
        below(2) == 0 ? CommunicatingThread::master : CommunicatingThread::first;
    GrainBlock block("random", options);
    const int tasks = 2 + below(10);
    struct Node {
      Task task;
      std::vector<std::atomic<int>> done;
      std::vector<std::pair<int, bool>> after;
    };
    std::vector<std::unique_ptr<Node>> nodes;
    std::atomic<int> wrong{0};
    int round = 0;
    for (int i = 0; i < tasks; ++i) {
      auto node = std::make_unique<Node>();
      node->done = std::vector<std::atomic<int>>(static_cast<std::size_t>(1 + below(6)));
      Node* self = node.get();
      const auto run = [&, self](int part) {
        for (const auto& [earlier, each] : self->after) {
          const auto& of = nodes[static_cast<std::size_t>(earlier)]->done;
          for (std::size_t other = 0; other < of.size(); ++other) {
            if (each && static_cast<int>(other) != part) continue;
            if (of[other].load(std::memory_order_relaxed) != round) ++wrong;
          }
        }
        self->done[static_cast<std::size_t>(part)].store(round, std::memory_order_relaxed);
      };
      const auto parts = static_cast<int>(node->done.size());
      const std::string name = std::to_string(i);
      const int kind = below(4);
      node->task = kind == 0   ? block.communicate(name, parts, run)
                   : kind == 1 ? block.compute_in_order(name, parts, run)
                               : block.compute(name, parts, run);
      for (int earlier = 0; earlier < i; ++earlier) {
        if (below(3) != 0) continue;
        const Node& other = *nodes[static_cast<std::size_t>(earlier)];
        const bool each = other.done.size() == node->done.size() && below(2) == 0;
        node->after.emplace_back(earlier, each);
        each ? block.after_each(node->task, other.task) : block.after(node->task, other.task);
      }
      nodes.push_back(std::move(node));
    }
    for (round = 1; round <= 3; ++round) block.run();
    EXPECT_EQ(wrong, 0) << block.graph();
    for (const auto& node : nodes) {
      for (const auto& done : node->done) EXPECT_EQ(done, 3);
    }
  }
}

TEST(Grains, AFailureEndsTheBlockAndIsThrown) {
  for (int threads = 1; threads <= 4; ++threads) {
    GrainBlock block("fails", with_threads(threads));
    bool fails = true;
    const Task first = block.compute("P", 10, [&](int grain) {
      if (fails && grain == 3) throw std::runtime_error("grain 3");
    });
    std::atomic<int> sent{0};
    block.after(block.communicate("M", 1, [&](int) { ++sent; }), first);
    EXPECT_THROW(block.run(), std::runtime_error);
    EXPECT_EQ(sent, 0);
    fails = false;
    block.run();  // and runs again
    EXPECT_EQ(sent, 1);
  }
}

TEST(Grains, WrongDeclarationsAreRefused) {
  GrainBlock block("refused");
  const Task one = block.compute("one", 2, [](int) {});
  const Task two = block.compute("two", 3, [](int) {});
  EXPECT_THROW(block.after(one, two), Error);
  EXPECT_THROW(block.after(one, one), Error);
  EXPECT_THROW(block.after_each(two, one), Error);
  EXPECT_THROW(block.after(two, Task{}), Error);
  EXPECT_THROW(block.compute("three", -1, [](int) {}), Error);
  GrainOptions options;
  options.channels = 0;
  EXPECT_THROW(GrainBlock("no channel", options), Error);
}

TEST(Grains, ABlockDoesNotRunInAParallelRegion) {
  GrainBlock block("nested");
  block.compute("P", 1, [](int) {});
  int refused = 0;
#pragma omp parallel num_threads(2) reduction(+ : refused)
  {
    try {
      block.run();
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_EQ(refused, 2);
}

TEST(Grains, TheGraphNamesTasksAndDependencies) {
  GrainBlock block("q = A p");
  const Task product = block.compute("P", 4, [](int) {});
  const Task exchange = block.communicate("M", 4, [](int) {});
  block.after_each(exchange, product);
  EXPECT_EQ(block.graph(),
            "digraph \"q = A p\" {\n"
            "  0 [label=\"P\\n4 parts\", shape=box];\n"
            "  1 [label=\"M\\n4 parts\", shape=ellipse];\n"
            "  0 -> 1 [label=\"each\"];\n"
            "}\n");
}

TEST(Grains, TheRestTakesAsLongAsTheMessages) {
  // 20 grains of 2 ms by 3 of 4 threads: 19 messages of 1 ms take as long as 28 grains.
  EXPECT_EQ(grains_before(20, 20, 4, 2e-3, 1e-3), 4);
  // Messages of a tenth of that: as long as 2.85 grains.
  EXPECT_EQ(grains_before(20, 20, 4, 2e-3, 1e-4), 18);
  EXPECT_EQ(grains_before(20, 20, 4, 2e-3, 1e-9), 20);
  EXPECT_EQ(grains_before(20, 20, 1, 2e-3, 1e-3), 1);
  EXPECT_EQ(grains_before(2, 1, 4, 0, 0), 2);  // nothing is known
  EXPECT_EQ(grains_before(0, 1, 4, 1, 1), 0);
}

TEST(Grains, AGrainIsAsLargeAsTheBandwidthNeeds) {
  const std::array<ExchangeSpeed, 4> speeds{
      {{1000, 10e6}, {14000, 71e6}, {32000, 75e6}, {64000, 74e6}}};
  EXPECT_EQ(grain_bytes(speeds), 14000);
  EXPECT_EQ(grain_bytes({}), 0);
  EXPECT_EQ(grain_bytes(std::array<ExchangeSpeed, 1>{{{1024, 0}}}), 0);
}

}  // namespace
}  // namespace plait
