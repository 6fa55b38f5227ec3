// SPDX-License-Identifier: BSD-3-Clause
// Receives get the messages that MPI promises them.
#include "transport/channel.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "foreign_reads.hpp"
#include "members.hpp"

bool may_read_foreign = true;

/// Instead of the C library's, so that it can be forbidden.
extern "C" ssize_t process_vm_readv(pid_t process, const iovec* into, unsigned long into_count,
                                    const iovec* from, unsigned long from_count,
                                    unsigned long flags) noexcept {
  if (may_read_foreign)
    return syscall(SYS_process_vm_readv, process, into, into_count, from, from_count, flags);
  errno = EPERM;
  return -1;
}

namespace plait::transport {
namespace {

/// Each size is on one side of a threshold.
const std::vector<uint32_t> kSizes = {0,    1,     192,   193,   200,   201,   4096,
                                      4097, 36864, 36865, 65535, 65536, 65537, 300000};

/// A member with its channel, and what became of its sends and receives.
class Rank final : public Channel::Owner {
public:
  Rank(Queues& queues) : channel(queues, *this, WaitPolicy::yield()) {}

  void received(Receive& receive) override { complete.push_back(&receive); }
  void sent(Send& send) override { sends.push_back(&send); }
  Receive& part_of(Receive& receive, bool last) override {
    static_cast<void>(receive);
    parts_are_all = last;
    return parts.emplace_back();
  }

  [[nodiscard]] bool has(const Receive& receive) const {
    return std::ranges::count(complete, &receive) == 1;
  }

  Channel channel;
  std::vector<const Receive*> complete;
  std::vector<const Send*> sends;
  std::deque<Receive> parts;
  bool parts_are_all = false;
};

/// A receive and its memory.
struct Posted : Receive {
  Posted(Pattern wanted, uint64_t bytes) : memory(bytes, '?') {
    pattern = wanted;
    data = reinterpret_cast<std::byte*>(memory.data());
    room = bytes;
  }
  std::string memory;
};

struct Job {
  Job(const Design& design, uint32_t count) : members(design, count) {
    for (uint32_t self = 0; self < count; ++self)
      ranks.push_back(std::make_unique<Rank>(members[self]));
  }

  Channel& operator[](uint32_t rank) { return ranks[rank]->channel; }

  Send& send(uint32_t from, uint32_t to, uint64_t tag, uint32_t bytes, uint16_t flags = 0) {
    data.push_back(text_of(tag, bytes));
    sends.push_back({to, tag, data.back().data(), bytes, 1000 + tag, flags});
    ranks[from]->channel.send(sends.back());
    return sends.back();
  }

  void run() {
    for (int idle = 0; idle < 200;) {
      bool any = false;
      for (const auto& rank : ranks) any |= rank->channel.progress();
      idle = any ? 0 : idle + 1;
    }
  }

  Members members;
  std::vector<std::unique_ptr<Rank>> ranks;
  std::deque<std::string> data;
  std::deque<Send> sends;
};

class Channels : public testing::TestWithParam<const char*> {
protected:
  [[nodiscard]] static const Design& design() { return design_of(GetParam()); }
};

TEST_P(Channels, OfEverySizeExpectedAndUnexpected) {
  for (const bool early : {false, true}) {
    for (const uint32_t bytes : kSizes) {
      SCOPED_TRACE(testing::Message() << bytes << " bytes, early " << early);
      Job job(design(), 2);
      Posted receive({7, 0, 0, 0}, bytes + 5);
      if (!early) job[1].receive(receive);
      const Send& send = job.send(0, 1, 7, bytes);
      job.run();
      if (early) {
        EXPECT_FALSE(job.ranks[1]->has(receive));
        const Early* const found = job[1].find({7, 0, kAnyMember, 0});
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->arrival.bytes, bytes);
        job[1].receive(receive);
        job.run();
      }
      ASSERT_TRUE(job.ranks[1]->has(receive));
      EXPECT_TRUE(send.done);
      EXPECT_EQ(receive.arrival.bytes, bytes);
      EXPECT_EQ(receive.arrival.note, 1007u);
      EXPECT_EQ(receive.memory, text_of(7, bytes) + "?????");
    }
  }
}

TEST_P(Channels, StoreNoMoreThanThereIsRoomFor) {
  for (const bool early : {false, true}) {
    for (const uint32_t bytes : {100u, 5000u, 100000u}) {
      Job job(design(), 2);
      Posted receive({3, 0, 0, 0}, 60);
      receive.room = 50;
      if (!early) job[1].receive(receive);
      const Send& send = job.send(0, 1, 3, bytes);
      job.run();
      if (early) job[1].receive(receive);
      job.run();
      ASSERT_TRUE(job.ranks[1]->has(receive));
      EXPECT_TRUE(send.done);
      EXPECT_EQ(receive.arrival.bytes, bytes);
      EXPECT_EQ(receive.memory, text_of(3, 50) + "??????????");
    }
  }
}

TEST_P(Channels, MatchTagsSendersAndStreams) {
  Job job(design(), 3);
  Posted other_tag({1, 0, 0, 0}, 8), other_sender({2, 0, 2, 0}, 8), other_stream({2, 0, 0, 1}, 8);
  Posted ignoring({0xf2, 0xf0, 0, 0}, 8), any({0, ~uint64_t{0}, kAnyMember, 0}, 8);
  for (Posted* receive : {&other_tag, &other_sender, &other_stream, &ignoring, &any})
    job[1].receive(*receive);
  job.send(0, 1, 2, 8);
  job.run();
  EXPECT_TRUE(job.ranks[1]->has(ignoring));
  job.send(2, 1, 9, 8);
  job.run();
  EXPECT_TRUE(job.ranks[1]->has(any));
  EXPECT_EQ(any.arrival.from, 2u);
  job.send(0, 1, 2, 8, 1);
  job.run();
  EXPECT_TRUE(job.ranks[1]->has(other_stream));
  EXPECT_EQ(job.ranks[1]->complete.size(), 3u);
}

TEST_P(Channels, KeepTheOrderOfASender) {
  Job job(design(), 2);
  std::deque<Posted> receives;
  for (uint64_t i = 0; i < 60; ++i) job.send(0, 1, i, kSizes[i % kSizes.size()]);
  for (uint64_t i = 0; i < 60; ++i) {
    if (i % 7 == 0) job.run();
    job[1].receive(receives.emplace_back(Pattern{0, ~uint64_t{0}, kAnyMember, 0}, 300000));
  }
  job.run();
  ASSERT_EQ(job.ranks[1]->complete.size(), 60u);
  for (uint64_t i = 0; i < 60; ++i) {
    EXPECT_EQ(receives[i].arrival.tag, i);
    EXPECT_EQ(receives[i].memory.substr(0, receives[i].arrival.bytes),
              text_of(i, kSizes[i % kSizes.size()]));
  }
}

TEST_P(Channels, ReachTheirSender) {
  Job job(design(), 1);
  for (const uint32_t bytes : kSizes) {
    Posted receive({5, 0, 0, 0}, bytes);
    job.ranks[0]->complete.clear();
    job.send(0, 0, 5, bytes);
    job.run();
    job[0].receive(receive);
    job.run();
    ASSERT_TRUE(job.ranks[0]->has(receive));
    EXPECT_EQ(receive.memory, text_of(5, bytes));
  }
}

TEST_P(Channels, ClaimedMessagesAreTakenByNobodyElse) {
  for (const uint32_t bytes : {8u, 5000u, 100000u}) {
    Job job(design(), 2);
    const Send& first = job.send(0, 1, 4, bytes);
    const Send& second = job.send(0, 1, 4, bytes);
    const Send& third = job.send(0, 1, 4, bytes);
    job.run();
    Early* const claimed = job[1].find({4, 0, 0, 0});
    ASSERT_NE(claimed, nullptr);
    job[1].claim(*claimed);
    Early* const discarded = job[1].find({4, 0, 0, 0});
    ASSERT_NE(discarded, nullptr);
    job[1].claim(*discarded);
    job[1].discard_claimed(*discarded);
    Posted last({4, 0, 0, 0}, bytes), chosen({}, bytes);
    job[1].receive(last);
    job.run();
    EXPECT_TRUE(second.done && third.done);
    job[1].receive_claimed(*claimed, chosen);
    job.run();
    EXPECT_TRUE(first.done);
    EXPECT_EQ(job.ranks[1]->complete, (std::vector<const Receive*>{&last, &chosen}));
    EXPECT_EQ(chosen.memory, text_of(4, bytes));
  }
}

TEST_P(Channels, CancelledReceivesTakeNothing) {
  Job job(design(), 2);
  Posted cancelled({4, 0, 0, 0}, 8), any({4, 0, kAnyMember, 0}, 8), kept({4, 0, 0, 0}, 8);
  job[1].receive(cancelled);
  job[1].receive(any);
  job[1].receive(kept);
  job[1].cancel(cancelled);
  job[1].cancel(any);
  EXPECT_EQ(job[1].posted().first(), &kept);
  job.send(0, 1, 4, 8);
  job.run();
  EXPECT_EQ(job.ranks[1]->complete, (std::vector<const Receive*>{&kept}));
}

TEST_P(Channels, TakeSeveralMessagesWithOneReceive) {
  Job job(design(), 2);
  Posted several({0, ~uint64_t{0}, kAnyMember, 0}, 10000);
  several.least = 4000;
  job.send(0, 1, 1, 100);
  job.send(0, 1, 2, 5000);
  job.run();
  job[1].receive(several);  // two messages are there
  job.run();
  EXPECT_FALSE(job.ranks[1]->parts_are_all);
  job.send(0, 1, 3, 1000);
  job.run();
  EXPECT_TRUE(job.ranks[1]->parts_are_all);
  EXPECT_EQ(job[1].posted().first(), nullptr);
  EXPECT_EQ(job.ranks[1]->complete.size(), 3u);
  EXPECT_EQ(several.memory.substr(0, 6100), text_of(1, 100) + text_of(2, 5000) + text_of(3, 1000));
}

TEST_P(Channels, ReadLongMessagesInTheSendersMemoryIfThatIsPermitted) {
  for (const bool permitted : {true, false}) {
    may_read_foreign = permitted;
    Job job(design(), 2);
    std::deque<Posted> receives;
    for (uint64_t i = 0; i < 3; ++i) {
      const uint32_t bytes = i < 2 ? Messages::kOfferBytes : Messages::kOfferBytes - 1;
      job[1].receive(receives.emplace_back(Pattern{i, 0, 0, 0}, bytes));
      job.send(0, 1, i, bytes);
      job.run();
      ASSERT_TRUE(job.ranks[1]->has(receives[i]));
      EXPECT_EQ(receives[i].memory, text_of(i, bytes));
    }
    EXPECT_EQ(job[1].messages().pulled(), permitted ? 2u : 0u);
  }
  may_read_foreign = true;
}

TEST_P(Channels, SendNowOrNotAtAll) {
  Job job(design(), 2);
  uint64_t sent = 0;
  Send send{1, 6, "12345678", 8};
  while (sent < 5000 && job[0].send_now(send)) ++sent;
  EXPECT_GE(sent, 24u);
  Send long_send{1, 6, "", kEagerBytes + 1};
  EXPECT_FALSE(job[0].send_now(long_send));
  job.run();
  Posted receive({6, 0, 0, 0}, 8);
  for (uint64_t i = 0; i < sent; ++i) job[1].receive(receive);
  EXPECT_EQ(job.ranks[1]->complete.size(), sent);
  EXPECT_TRUE(job[0].send_now(send));
}

INSTANTIATE_TEST_SUITE_P(Designs, Channels,
                         testing::Values("auto", "sm", "sm-counted", "orq", "orq-lock", "cor"),
                         [](const auto& design) {
                           std::string name = design.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace plait::transport
