// SPDX-License-Identifier: BSD-3-Clause
// Members on threads, which the thread sanitizer watches: all send to all, sleep and are woken.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "transport/messages.hpp"

namespace plait::transport {
namespace {

/// Counts messages of up to two fragments, whose tags count those of each sender.
class Counter : public Receiver {
public:
  Place begin(const Arrival& arrival) override {
    if (arrival.tag != next_[arrival.from]++) ++disordered;
    auto& buffer = buffers_[arrival.from];
    return {buffer.data(), buffer.size()};
  }
  void end(const Arrival& arrival, void* item) override {
    static_cast<void>(item);
    const auto& data = buffers_[arrival.from];
    for (uint64_t at = 0; at < arrival.bytes; at += 100)
      damaged += data[at] == static_cast<std::byte>(arrival.tag) ? 0 : 1;
    ++complete;
  }

  uint64_t complete = 0, disordered = 0, damaged = 0;

private:
  std::array<uint64_t, 8> next_{};
  std::array<std::array<std::byte, 8192>, 8> buffers_{};
};

struct Totals {
  std::atomic<uint64_t> complete{0}, faults{0}, failed{0}, sleeps{0}, late{0};
};

uint64_t size_of(uint64_t tag) {
  return std::array<uint64_t, 5>{1, 300, 8, 5000, 4096}[tag % 5];
}

/// One member: sends `rounds` messages to each member, one after the other to each.
void talk(Node& node, uint32_t self, uint64_t rounds, const WaitPolicy& policy, Totals& totals) {
  const std::unique_ptr<Queues> queues = join(node, self);
  const auto counter = std::make_unique<Counter>();
  Messages messages(*queues, *counter, policy);
  std::vector<Send> sends(node.members());
  std::vector<std::byte> data(8192);
  const uint64_t all = rounds * node.members();
  for (uint64_t i = 0; i < all; ++i) queues->expect(kAnyMember);
  bool works = true;
  for (uint64_t tag = 0; tag < rounds && works; ++tag) {
    std::fill(data.begin(), data.end(), static_cast<std::byte>(tag));
    for (uint32_t to = 0; to < node.members(); ++to) {
      sends[to] = {to, tag, data.data(), size_of(tag)};
      messages.send(sends[to]);
    }
    works = messages.run_until([&] {
      for (const Send& send : sends) {
        if (!send.done) return false;
      }
      return true;
    });
    // One ahead of the others at most, so that all sleep often.
    works = works && messages.run_until([&] { return counter->complete >= tag * node.members(); });
  }
  works = works && messages.run_until([&] { return counter->complete == all; });
  totals.failed += works ? 0 : 1;
  totals.complete += counter->complete;
  totals.faults += counter->disordered + counter->damaged;
  totals.sleeps += messages.waiter().sleeps();
  totals.late += messages.waiter().late();
}

/// @return how often they slept
uint64_t run(const Design& design, uint32_t members, uint64_t rounds, const WaitPolicy& policy) {
  Node node = create_node(design, members);
  Totals totals;
  std::vector<std::thread> threads;
  for (uint32_t self = 0; self < members; ++self)
    threads.emplace_back(talk, std::ref(node), self, rounds, std::cref(policy), std::ref(totals));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(totals.failed, 0u);
  EXPECT_EQ(totals.complete, rounds * members * members);
  EXPECT_EQ(totals.faults, 0u);
  // News that came at the very end of a sleep were not slept through; more than a few were.
  EXPECT_LE(totals.late, 3u);
  return totals.sleeps;
}

TEST(Threads, SleepAndAreWoken) {
  uint64_t sleeps = 0;
  for (const Design& design : designs()) {
    SCOPED_TRACE(design.name);
    sleeps += run(design, 4, 100, {0, 0, true});
  }
  EXPECT_GT(sleeps, 0u);
}

TEST(Threads, Yield) {
  for (const Design& design : designs()) {
    SCOPED_TRACE(design.name);
    run(design, 3, 100, WaitPolicy::yield());
  }
}

}  // namespace
}  // namespace plait::transport
