// SPDX-License-Identifier: BSD-3-Clause
// Every queue design keeps order and data, with full memory, many senders and wrap-around.
#include "transport/queues.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "members.hpp"
#include "plait/error.hpp"

namespace plait::transport {
namespace {

/// Both sides of every size at which a design does something else.
const std::vector<uint32_t> kSizes = {0,   1,   8,    191,  192,  193,  207,
                                      208, 209, 4095, 4096, 4097, 32768};

TEST(Queues, UnknownDesignsAreRefusedWithAListOfAll) {
  try {
    design_of("fast");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "design fast: unknown; use one of auto, sm, sm-counted, orq, orq-lock, cor");
  }
}

TEST(Queues, FragmentsOfEverySizeArrive) {
  for (const Design& design : designs()) {
    SCOPED_TRACE(design.name);
    Members members(design, 3);
    uint64_t tag = 0;
    for (int round = 0; round < 30; ++round) {  // first without, then with a ring in `auto`
      for (const uint32_t bytes : kSizes) {
        ASSERT_EQ(put(members[2], 1, ++tag, bytes), Put::sent);
        EXPECT_TRUE(members[1].has_news());
        const auto header = take_patiently(members[1]);
        ASSERT_TRUE(header);
        EXPECT_EQ(header->from, 2u);
        EXPECT_EQ(header->tag, tag);
        EXPECT_EQ(header->bytes, bytes);
        EXPECT_FALSE(take_patiently(members[2]));  // an acknowledgement is not a fragment
      }
    }
    EXPECT_FALSE(take_patiently(members[0]));
    EXPECT_FALSE(take_patiently(members[1]));
    EXPECT_FALSE(members[1].has_news());
  }
}

TEST(Queues, AMemberSendsToItself) {
  for (const Design& design : designs()) {
    SCOPED_TRACE(design.name);
    Members members(design, 1);
    for (uint64_t tag = 0; tag < 200; ++tag) {
      ASSERT_EQ(put(members[0], 0, tag, 300), Put::sent);
      const auto header = take_patiently(members[0]);
      ASSERT_TRUE(header);
      EXPECT_EQ(header->tag, tag);
      EXPECT_FALSE(take_patiently(members[0]));
    }
  }
}

/// Random puts and takes of four members. Tags count the fragments of each pair.
void walk(const Design& design, unsigned seed, int steps) {
  constexpr uint32_t kCount = 4;
  Members members(design, kCount);
  std::mt19937 random(seed);
  uint64_t sent[kCount][kCount] = {}, taken[kCount][kCount] = {};
  uint64_t on_the_way = 0;
  const auto take_at = [&](uint32_t at) {
    const auto header = take_patiently(members[at]);
    if (!header) return false;
    EXPECT_EQ(header->tag, taken[header->from][at]++);
    --on_the_way;
    return true;
  };
  for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
    const uint32_t at = random() % kCount, to = random() % kCount;
    // Bursts, longer than a ring of `auto`, alternate with takes.
    const uint32_t burst = random() % 8 == 0 ? 50 : random() % 4;
    if (random() % 2 == 0) {
      for (uint32_t i = 0; i < burst; ++i) {
        if (put(members[at], to, sent[at][to], kSizes[random() % kSizes.size()]) != Put::sent)
          break;
        ++sent[at][to];
        ++on_the_way;
      }
    } else {
      for (uint32_t i = 0; i < burst && take_at(at); ++i) {
      }
    }
  }
  for (uint32_t at = 0; at < kCount; ++at) {
    while (take_at(at)) {
    }
  }
  EXPECT_EQ(on_the_way, 0u);
}

TEST(Queues, OrderIsKeptInRandomSequences) {
  for (const Design& design : designs()) {
    SCOPED_TRACE(design.name);
    for (unsigned seed = 1; seed <= 2; ++seed) walk(design, seed, 1000);
  }
}

TEST(Queues, ASenderWaitsForMemoryUntilReceiversRelease) {
  for (const Design& design : designs()) {
    if (std::string(design.name) == "auto") continue;
    SCOPED_TRACE(design.name);
    Members members(design, 2);
    for (int round = 0; round < 10; ++round) {
      uint64_t sent = 0;
      while (put(members[0], 1, sent, 8) == Put::sent) ++sent;
      EXPECT_EQ(sent, 24u);
      EXPECT_EQ(put(members[0], 1, 0, 4097), Put::sent);  // other memory
      for (uint64_t tag = 0; tag < sent; ++tag) {
        const auto header = take_patiently(members[1]);
        ASSERT_TRUE(header);
        EXPECT_EQ(header->tag, tag);
      }
      EXPECT_TRUE(take_patiently(members[1]));
      EXPECT_FALSE(take_patiently(members[0]));  // takes acknowledgements
    }
  }
}

TEST(Queues, AutoAcceptsAnyNumberOfSmallMessages) {
  Members members(design_of("auto"), 2);
  constexpr uint64_t kMessages = 20000;  // a ring has 32
  for (uint64_t tag = 0; tag < kMessages; ++tag) {
    ASSERT_EQ(put(members[0], 1, tag, tag % 3 == 0 ? 500 : 8), Put::sent);
  }
  members.queues[0].reset();  // nobody helps any more
  for (uint64_t tag = 0; tag < kMessages; ++tag) {
    const auto header = take(members[1]);
    ASSERT_TRUE(header);
    ASSERT_EQ(header->tag, tag);
  }
  EXPECT_FALSE(take(members[1]));
  EXPECT_FALSE(members[1].has_news());
}

TEST(Queues, AutoUsesMemoryAgain) {
  Members members(design_of("auto"), 2);
  uint64_t reserved = 0;
  for (uint64_t tag = 0; tag < 1000; ++tag) {
    ASSERT_EQ(put(members[0], 1, tag, 4096), Put::sent);
    ASSERT_TRUE(take(members[1]));
    if (tag == 100) reserved = members.node.segment().reserved();
  }
  EXPECT_EQ(members.node.segment().reserved(), reserved);
}

TEST(Queues, AutoSaysWhenReceiversShouldRun) {
  Members members(design_of("auto"), 2);
  for (int round = 0; round < 3; ++round) {
    int crowded = 0;
    for (uint64_t tag = 0; tag < 1000; ++tag) {
      ASSERT_EQ(put(members[0], 1, tag, 8), Put::sent);
      if (members[0].crowded()) ++crowded;
    }
    EXPECT_EQ(crowded, 5) << "with 32, 64, 128, 256 and 512 messages besides those in the ring";
    for (uint64_t tag = 0; tag < 1000; ++tag) ASSERT_TRUE(take(members[1]));
    ASSERT_EQ(put(members[0], 1, 0, 500), Put::sent);  // takes back what was released
    ASSERT_TRUE(take(members[1]));
  }
}

TEST(Queues, AutoLimitsTheMemoryOfLongMessages) {
  Members members(design_of("auto"), 2);
  uint64_t sent = 0;
  while (put(members[0], 1, sent, 32768) == Put::sent) ++sent;
  EXPECT_EQ(sent, 16u);
  EXPECT_TRUE(take(members[1]));
  EXPECT_EQ(put(members[0], 1, sent, 32768), Put::sent);
}

TEST(Queues, AutoHasMoreSendersThanRings) {
  constexpr uint32_t kCount = 80;
  Members members(design_of("auto"), kCount);
  std::vector<uint64_t> taken(kCount);
  for (uint64_t round = 0; round < 3; ++round) {
    for (uint64_t tag = 0; tag < 40; ++tag) {
      for (uint32_t from = 1; from < kCount; ++from)
        ASSERT_EQ(put(members[from], 0, round * 40 + tag, 8), Put::sent);
    }
    for (uint32_t message = 0; message < 40 * (kCount - 1); ++message) {
      const auto header = take(members[0]);
      ASSERT_TRUE(header);
      EXPECT_EQ(header->tag, taken[header->from]++);
    }
    EXPECT_FALSE(take(members[0]));
  }
}

TEST(Queues, CorPollsOnlyWhereMessagesAreExpected) {
  Members members(design_of("cor"), 3);
  ASSERT_EQ(put(members[2], 0, 2, 8), Put::sent);
  ASSERT_EQ(put(members[1], 0, 1, 8), Put::sent);
  EXPECT_FALSE(take(members[0]));
  members[0].expect(1);
  const auto first = take(members[0]);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->from, 1u);
  members[0].received(1);
  EXPECT_FALSE(take(members[0]));
  members[0].expect(kAnyMember);
  const auto second = take(members[0]);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->from, 2u);
  members[0].received(2);
  // What nobody expects is taken in the end.
  ASSERT_EQ(put(members[1], 0, 3, 8), Put::sent);
  EXPECT_FALSE(take(members[0]));
  EXPECT_TRUE(take_patiently(members[0]));
}

TEST(Queues, CorKeepsTheCounterForAnyMemberWhileASenderIsExpected) {
  Members members(design_of("cor"), 3);
  members[0].expect(kAnyMember);
  members[0].expect(1);
  members[0].received(1);  // the message that was expected from 1
  ASSERT_EQ(put(members[2], 0, 0, 8), Put::sent);
  EXPECT_TRUE(take(members[0]));
}

}  // namespace
}  // namespace plait::transport
