// SPDX-License-Identifier: BSD-3-Clause
// Messages of every size arrive whole, in order, also when all members send at once.
#include "transport/messages.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "members.hpp"

namespace plait::transport {
namespace {

/// Keeps all messages.
class Kept : public Receiver {
public:
  struct Message {
    Arrival arrival;
    std::string data;
    bool complete = false;
  };

  Place begin(const Arrival& arrival) override {
    if (lacks_memory) throw std::bad_alloc();
    Message& message = messages.emplace_back(Message{arrival, std::string(arrival.bytes, '?')});
    return {reinterpret_cast<std::byte*>(message.data.data()), arrival.bytes, &message, false};
  }
  void end(const Arrival& arrival, void* item) override {
    Message& message = *static_cast<Message*>(item);
    EXPECT_EQ(message.arrival.tag, arrival.tag);
    EXPECT_FALSE(message.complete);
    message.complete = true;
    ++complete;
  }

  std::deque<Message> messages;  ///< in the order in which they began
  uint64_t complete = 0;
  bool lacks_memory = false;
};

struct Talk {
  Talk(const Design& design, uint32_t count) : Talk(design, count, design.demand(count)) {}

  Talk(const Design& design, uint32_t count, const Demand& demand)
      : members(design, count, demand), kept(count) {
    for (uint32_t self = 0; self < count; ++self) {
      messages.push_back(
          std::make_unique<Messages>(members[self], kept[self], WaitPolicy::yield()));
    }
  }

  void send(uint32_t from, uint32_t to, uint64_t tag, uint32_t bytes, uint16_t flags = 0) {
    data.push_back(text_of(tag, bytes));
    sends.push_back({to, tag, data.back().data(), bytes, 0, flags});
    members[to].expect(from);
    messages[from]->send(sends.back());
  }

  /// Until nothing moves any more.
  void run() {
    for (int idle = 0; idle < 100;) {
      bool any = false;
      for (const auto& one : messages) any |= one->progress();
      idle = any ? 0 : idle + 1;
    }
  }

  Members members;
  std::vector<Kept> kept;
  std::vector<std::unique_ptr<Messages>> messages;
  std::deque<std::string> data;
  std::deque<Send> sends;
};

const std::vector<uint32_t> kSizes = {0,     1,     4095,  4096,  4097,   36863,
                                      36864, 36865, 69632, 69633, 300000, 1 << 20};

TEST(Messages, OfEverySizeArrive) {
  for (const Design& design : designs()) {
    SCOPED_TRACE(design.name);
    Talk talk(design, 2);
    uint64_t tag = 0;
    for (const uint32_t bytes : kSizes) {
      talk.send(0, 1, ++tag, bytes);
      talk.run();
      EXPECT_TRUE(talk.sends.back().done);
      ASSERT_EQ(talk.kept[1].complete, tag);
      EXPECT_EQ(talk.kept[1].messages.back().arrival.tag, tag);
      EXPECT_EQ(talk.kept[1].messages.back().data, talk.data.back());
    }
  }
}

TEST(Messages, OfAllMembersAtOnceArriveInOrder) {
  constexpr uint32_t kCount = 3;
  for (const Design& design : designs()) {
    SCOPED_TRACE(design.name);
    Talk talk(design, kCount);
    uint64_t tag = 0;
    for (const uint32_t bytes : {100000u, 8u, 5000u, 4096u, 40000u, 1u}) {
      for (int repeat = 0; repeat < 12; ++repeat, ++tag) {
        for (uint32_t from = 0; from < kCount; ++from) {
          for (uint32_t to = 0; to < kCount; ++to) talk.send(from, to, tag, bytes);
        }
      }
    }
    talk.run();
    for (const Send& send : talk.sends) EXPECT_TRUE(send.done);
    for (const Kept& kept : talk.kept) {
      EXPECT_EQ(kept.complete, tag * kCount);
      std::map<uint32_t, uint64_t> next;
      for (const Kept::Message& message : kept.messages) {
        EXPECT_EQ(message.arrival.tag, next[message.arrival.from]++);
        EXPECT_EQ(message.data,
                  text_of(message.arrival.tag, static_cast<uint32_t>(message.arrival.bytes)));
      }
    }
  }
}

TEST(Messages, ArriveWithoutRoomForMoreMemory) {
  const Design& design = design_of("auto");
  Talk talk(design, 2, {design.demand(2).fixed_bytes, 0});
  uint64_t tag = 0;
  for (int repeat = 0; repeat < 50; ++repeat) {
    for (const uint32_t bytes : {8u, 200u, 4096u, 5000u, 100000u}) talk.send(0, 1, ++tag, bytes);
  }
  EXPECT_FALSE(talk.sends.back().done);
  talk.run();
  EXPECT_TRUE(talk.sends.back().done);
  EXPECT_EQ(talk.kept[1].complete, tag);
}

TEST(Messages, StayWhileThereIsNoMemoryForThem) {
  for (const Design& design : designs()) {
    SCOPED_TRACE(design.name);
    Talk talk(design, 2);
    for (uint64_t tag = 0; tag < 3; ++tag) talk.send(0, 1, tag, tag == 1 ? 20000 : 8);
    talk.kept[1].lacks_memory = true;
    for (int attempt = 0; attempt < 100; ++attempt) {
      talk.messages[0]->progress();
      try {
        talk.messages[1]->progress();
      } catch (const std::bad_alloc&) {
      }
    }
    EXPECT_EQ(talk.kept[1].messages.size(), 0u);
    talk.kept[1].lacks_memory = false;
    talk.run();
    ASSERT_EQ(talk.kept[1].complete, 3u);
    for (uint64_t tag = 0; tag < 3; ++tag) {
      EXPECT_EQ(talk.kept[1].messages[tag].arrival.tag, tag);
      EXPECT_EQ(talk.kept[1].messages[tag].data, talk.data[tag]);
    }
  }
}

TEST(Messages, WithAReceiptAreDoneWhenTheReceiverHasThem) {
  for (const Design& design : designs()) {
    SCOPED_TRACE(design.name);
    Talk talk(design, 2);
    for (const uint32_t bytes : {8u, 4096u, 4097u, 100000u}) {
      talk.send(0, 1, 1, bytes, kAsksReceipt);
      EXPECT_FALSE(talk.messages[0]->send_now(talk.sends.back()));
      for (int round = 0; round < 10; ++round) talk.messages[0]->progress();
      EXPECT_FALSE(talk.sends.back().done);
      while (!talk.sends.back().done) {
        const uint64_t complete = talk.kept[1].complete;
        talk.messages[0]->progress();
        ASSERT_TRUE(!talk.sends.back().done || complete == talk.sends.size());
        talk.messages[1]->progress();
      }
      EXPECT_EQ(talk.kept[1].messages.back().data, talk.data.back());
    }
  }
}

TEST(Messages, OnlyTheFirstFragmentIsSentUntilTheReceiverAnswers) {
  Talk talk(design_of("sm"), 2);
  talk.send(0, 1, 1, 20000);
  for (int round = 0; round < 10; ++round) talk.messages[0]->progress();
  EXPECT_EQ(talk.sends.back().sent, kEagerBytes);
  talk.messages[1]->progress();
  talk.messages[0]->progress();
  EXPECT_EQ(talk.sends.back().sent, 20000u);
  EXPECT_TRUE(talk.sends.back().done);
  EXPECT_EQ(talk.kept[1].complete, 0u);
  talk.run();
  EXPECT_EQ(talk.kept[1].complete, 1u);
}

}  // namespace
}  // namespace plait::transport
