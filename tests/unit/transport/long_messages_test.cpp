// SPDX-License-Identifier: BSD-3-Clause
// Long messages: each way, and what happens when one end does not go on.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "foreign_reads.hpp"
#include "members.hpp"
#include "transport/channel.hpp"

namespace plait::transport {
namespace {

/// Streams are for processes that have a CPU each.
constexpr WaitPolicy kAlone{10, 20, true, true};

/// A member that sends and receives messages of tag 0.
class End final : public Channel::Owner {
public:
  explicit End(Queues& queues) : channel(queues, *this, kAlone) {}

  void received(Receive& receive) override {
    static_cast<void>(receive);
    ++complete;
  }
  void sent(Send& send) override { static_cast<void>(send); }
  Receive& part_of(Receive& receive, bool last) override {
    static_cast<void>(last);
    return receive;
  }

  Receive& receive(uint32_t from, uint64_t bytes) {
    memory.assign(bytes, '?');
    operation = {{0, 0, from, 0}, reinterpret_cast<std::byte*>(memory.data()), bytes};
    channel.receive(operation);
    return operation;
  }

  Channel channel;
  Receive operation;
  std::string memory;
  uint64_t complete = 0;
};

class LongMessages : public testing::Test {
protected:
  ~LongMessages() override { may_read_foreign = true; }

  void run() {
    for (int idle = 0; idle < 50;) {
      const bool any = sender.channel.progress() | receiver.channel.progress();
      idle = any ? 0 : idle + 1;
    }
  }

  Members members{design_of("auto"), 2};
  End sender{members[0]}, receiver{members[1]};
};

const std::vector<uint32_t> kSizes = {65536, 65537, 131072, 131073, 524288, 524289, 1 << 20};

TEST_F(LongMessages, GoEachWay) {
  uint64_t tag = 0;
  for (const uint32_t bytes : kSizes) {
    for (uint32_t attempt = 0; attempt < kWays * Ways::kFirstAttempts + 2; ++attempt) {
      receiver.receive(0, bytes);
      const std::string data = text_of(++tag, bytes);
      Send send{1, 0, data.data(), bytes};
      sender.channel.send(send);
      run();
      ASSERT_EQ(receiver.complete, tag);
      ASSERT_TRUE(send.done);
      ASSERT_EQ(receiver.memory, data);
    }
  }
  EXPECT_GE(receiver.channel.messages().pulled(), Ways::kFirstAttempts);
}

TEST_F(LongMessages, GoThroughStreamsWhereMemoryCannotBeRead) {
  may_read_foreign = false;
  uint64_t tag = 0;
  for (const bool early : {false, true}) {
    for (const uint32_t bytes : kSizes) {
      const std::string data = text_of(++tag, bytes);
      Send send{1, 0, data.data(), bytes};
      if (!early) receiver.receive(0, bytes - 100);
      sender.channel.send(send);
      run();
      if (early) receiver.receive(0, bytes - 100);
      run();
      ASSERT_TRUE(send.done);
      EXPECT_EQ(receiver.operation.arrival.bytes, bytes);
      EXPECT_EQ(receiver.memory, data.substr(0, bytes - 100));
    }
  }
  EXPECT_EQ(receiver.channel.messages().streamed(), tag);
  EXPECT_EQ(receiver.channel.messages().pulled(), 0u);
}

TEST_F(LongMessages, AreReadByAReceiverWhoseSenderDoesNotGoOn) {
  constexpr uint32_t kBytes = 600'000;  // more than a stream has room for
  uint64_t tag = 0;
  for (uint32_t attempt = 0; attempt < kWays * Ways::kFirstAttempts; ++attempt) {
    receiver.receive(0, kBytes);
    const std::string data = text_of(++tag, kBytes);
    Send send{1, 0, data.data(), kBytes};
    sender.channel.send(send);
    // The sender moves the stream once at most; with that the receiver gets all.
    static_cast<void>(receiver.channel.progress());
    if (attempt % 2 == 0) static_cast<void>(sender.channel.progress());
    while (receiver.complete < tag) static_cast<void>(receiver.channel.progress());
    EXPECT_EQ(receiver.memory, data);
    run();
    EXPECT_TRUE(send.done);
  }
  EXPECT_EQ(receiver.channel.messages().pulled(), tag);
}

TEST_F(LongMessages, OfSeveralSendsShareTheStreams) {
  constexpr uint32_t kBytes = 200'000, kCount = 5;
  for (const bool permitted : {true, false}) {
    may_read_foreign = permitted;
    std::vector<std::string> data(kCount), memory(kCount, std::string(kBytes, '?'));
    std::vector<Send> sends(kCount);
    std::vector<Receive> receives(kCount);
    for (uint32_t i = 0; i < kCount; ++i) {
      data[i] = text_of(i, kBytes);
      sends[i] = {1, i, data[i].data(), kBytes};
      receives[i] = {{i, 0, 0, 0}, reinterpret_cast<std::byte*>(memory[i].data()), kBytes};
      receiver.channel.receive(receives[i]);
      sender.channel.send(sends[i]);
    }
    run();
    for (const Send& send : sends) EXPECT_TRUE(send.done);
    EXPECT_EQ(memory, data);
  }
}

/// Exchanges messages with the other end at the same time.
void exchange(End& end, uint32_t other, uint32_t count, std::atomic<int>& faults) {
  for (uint64_t i = 0; i < count; ++i) {
    const auto bytes = static_cast<uint32_t>(65536 + i * 20'000);
    const std::string data = text_of(i + other, bytes);
    end.receive(other, bytes);
    Send send{other, 0, data.data(), bytes};
    end.channel.send(send);
    const bool works =
        end.channel.messages().run_until([&] { return send.done && end.complete == i + 1; });
    if (!works || end.memory != text_of(i + 1 - other, bytes)) ++faults;
  }
  end.channel.messages().run_until([&] { return !end.channel.messages().sends(); });
}

TEST_F(LongMessages, GoBothWaysAtOnce) {
  std::atomic<int> faults = 0;
  may_read_foreign = false;  // all through streams, which the thread sanitizer watches
  std::thread first([&] { exchange(sender, 1, 20, faults); });
  std::thread second([&] { exchange(receiver, 0, 20, faults); });
  first.join();
  second.join();
  EXPECT_EQ(faults, 0);
  EXPECT_EQ(receiver.channel.messages().streamed(), 20u);
}

}  // namespace
}  // namespace plait::transport
