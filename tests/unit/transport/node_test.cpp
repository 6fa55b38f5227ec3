// SPDX-License-Identifier: BSD-3-Clause
// Processes enter a node, and nobody waits for one that was killed.
#include "transport/node.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "members.hpp"
#include "plait/error.hpp"
#include "transport/messages.hpp"

namespace plait::transport {
namespace {

class Nothing : public Receiver {
public:
  Place begin(const Arrival& arrival) override {
    static_cast<void>(arrival);
    return {buffer_, sizeof buffer_};
  }
  void end(const Arrival& arrival, void* item) override {
    static_cast<void>(arrival);
    static_cast<void>(item);
  }

private:
  std::byte buffer_[64];
};

/// Member 1 of the node, in a process that sends one message to member 0, then waits or leaves.
pid_t start_peer(const std::string& address, bool leaves) {
  const pid_t process = fork();
  if (process != 0) return process;
  Node node = Node::open(address);
  std::unique_ptr<Queues> queues = join(node, 1);
  if (put(*queues, 0, 5, 8) != Put::sent) _exit(1);
  if (!leaves) {
    for (;;) pause();
  }
  queues.reset();
  _exit(0);
}

TEST(Node, RefusesNumbersThatItDoesNotHaveOrThatAreTaken) {
  Node node = create_node(design_of("sm"), 2);
  node.enter(0);
  EXPECT_THROW(node.enter(0), Error);
  EXPECT_THROW(node.enter(2), Error);
  EXPECT_FALSE(node.all_entered());
  node.enter(1);
  EXPECT_TRUE(node.all_entered());
  EXPECT_THROW(create_node(design_of("sm"), 0), Error);
  EXPECT_THROW(create_node(design_of("sm"), 1025), Error);
}

TEST(Node, ARefusedProcessKeepsNoLock) {
  Node node = create_node(design_of("sm"), 2);
  const pid_t other = fork();
  if (other == 0) {
    Node opened = Node::open(node.address());
    opened.enter(1);
    opened.leave(1);
    _exit(0);
  }
  ASSERT_EQ(waitpid(other, nullptr, 0), other);
  node.enter(0);
  EXPECT_THROW(node.enter(0), Error);  // keeps the lock of 0
  EXPECT_THROW(node.enter(1), Error);
  const pid_t observer = fork();
  if (observer == 0) _exit(node.segment().is_held(0) && !node.segment().is_held(1) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(observer, &status, 0), observer);
  EXPECT_EQ(status, 0);
}

TEST(Node, NobodyWaitsForAKilledProcess) {
  for (const Design& design : designs()) {
    for (const WaitPolicy& policy : {WaitPolicy::sleep(), WaitPolicy::yield()}) {
      SCOPED_TRACE(design.name);
      Node node = create_node(design, 2);
      const std::unique_ptr<Queues> queues = join(node, 0);
      const pid_t peer = start_peer(node.address(), false);
      while (!take_patiently(*queues)) usleep(100);
      EXPECT_EQ(node.dead_member(), -1);
      ASSERT_EQ(kill(peer, SIGKILL), 0);  // it may remain as a zombie
      Nothing nothing;
      Messages messages(*queues, nothing, policy);
      EXPECT_FALSE(messages.run_until([] { return false; }));
      EXPECT_EQ(node.dead_member(), 1);
      EXPECT_EQ(waitpid(peer, nullptr, 0), peer);
    }
  }
}

TEST(Node, ASenderDoesNotWaitForTheMemoryOfAKilledProcess) {
  for (const Design& design : designs()) {
    SCOPED_TRACE(design.name);
    Node node = create_node(design, 2);
    const std::unique_ptr<Queues> queues = join(node, 0);
    const pid_t peer = start_peer(node.address(), false);
    while (!take_patiently(*queues)) usleep(100);
    const std::string data(1 << 20, 'x');
    Nothing nothing;
    Messages messages(*queues, nothing, WaitPolicy::sleep());
    Send send{1, 0, data.data(), data.size()};
    messages.send(send);
    ASSERT_EQ(kill(peer, SIGKILL), 0);
    EXPECT_FALSE(messages.run_until([&] { return send.done; }));
    EXPECT_EQ(waitpid(peer, nullptr, 0), peer);
  }
}

TEST(Node, AProcessThatHasLeftIsNotDead) {
  Node node = create_node(design_of("auto"), 2);
  const std::unique_ptr<Queues> queues = join(node, 0);
  const pid_t peer = start_peer(node.address(), true);
  int status = -1;
  EXPECT_EQ(waitpid(peer, &status, 0), peer);
  EXPECT_EQ(status, 0);
  uint32_t at = 0;
  for (int look = 0; look < 4; ++look) node.look_for_dead(at);
  EXPECT_FALSE(node.failed());
  EXPECT_TRUE(take(*queues));
}

}  // namespace
}  // namespace plait::transport
