// SPDX-License-Identifier: BSD-3-Clause
// Channels between threads, and all interleavings of the protocol's two partners.
#include "solve/halo/shared_channel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace plait::solve {
namespace {

TEST(SharedChannel, CarriesTurnsBetweenThreadsInARing) {
  constexpr int threads = 3;
  constexpr std::uint64_t turns = 2000;
  constexpr std::size_t words = 50;
  constexpr std::size_t bytes = words * sizeof(std::uint64_t);
  struct alignas(SharedChannel::alignment) Memory {
    std::array<std::byte, SharedChannel::bytes(bytes)> of{};
  };
  std::vector<Memory> memory(2 * threads);  // to the left and to the right neighbour of each
  std::array<int, threads> wrong{};
  std::vector<std::thread> team;
  for (int me = 0; me < threads; ++me) {
    team.emplace_back([&, me] {
      const auto channel = [&](int thread, int side) {
        return SharedChannel(memory[static_cast<std::size_t>(2 * thread + side)].of.data(), bytes);
      };
      const int left = (me + threads - 1) % threads;
      const int right = (me + 1) % threads;
      const std::array<SharedChannel, 2> to{channel(me, 0), channel(me, 1)};
      const std::array<SharedChannel, 2> from{channel(left, 1), channel(right, 0)};
      const std::array<int, 2> partner{left, right};
      const auto word = [](int thread, std::uint64_t turn, std::size_t i) {
        return turn * 1000 + static_cast<std::uint64_t>(thread) * 100 + i;
      };
      for (std::uint64_t turn = 1; turn <= turns; ++turn) {
        for (const SharedChannel& channel_to : to) {
          for (std::size_t i = 0; i < words; ++i) {
            const std::uint64_t value = word(me, turn, i);
            std::memcpy(channel_to.slot(turn) + i * sizeof value, &value, sizeof value);
          }
          channel_to.publish(turn);
        }
        for (std::size_t side = 0; side < 2; ++side) {
          while (!from[side].arrived(turn)) std::this_thread::yield();
          for (std::size_t i = 0; i < words; ++i) {
            std::uint64_t value = 0;
            std::memcpy(&value, from[side].slot(turn) + i * sizeof value, sizeof value);
            if (value != word(partner[side], turn, i)) ++wrong[static_cast<std::size_t>(me)];
          }
        }
      }
    });
  }
  for (std::thread& thread : team) thread.join();
  EXPECT_EQ(wrong, (std::array<int, threads>{}));
}

/// One partner in the walk through all interleavings. Its steps in a turn: begin packing, end
/// packing, publish, wait for the other partner, begin unpacking, end unpacking.
struct Partner {
  int turn = 1;
  int step = 0;
  int published = 0;
  std::array<int, 2> slot{};  ///< the turn of the message in each slot; negative while it is packed
  friend auto operator<=>(const Partner&, const Partner&) = default;
};

class Interleavings {
public:
  Interleavings(int slots, int turns) : slots_(slots), turns_(turns) { visit({}); }

  [[nodiscard]] int broken() const { return broken_; }
  [[nodiscard]] int stuck() const { return stuck_; }
  [[nodiscard]] std::size_t states() const { return seen_.size(); }

private:
  using State = std::array<Partner, 2>;

  void visit(const State& state) {
    if (!seen_.insert(state).second) return;
    bool moved = false;
    bool finished = true;
    for (const std::size_t me : {0U, 1U}) {
      State next = state;
      Partner& own = next[me];
      Partner& other = next[1 - me];
      if (own.turn > turns_) continue;
      finished = false;
      const auto slot = static_cast<std::size_t>(own.turn % slots_);
      if (own.step == 3 && other.published < own.turn) continue;  // waits
      if (own.step == 0) own.slot[slot] = -own.turn;
      if (own.step == 1) own.slot[slot] = own.turn;
      if (own.step == 2) own.published = own.turn;
      // While it is unpacked, the message of this turn must be complete and stay in its slot.
      if (own.step >= 4 && other.slot[slot] != own.turn) ++broken_;
      if (++own.step == 6) {
        own.step = 0;
        ++own.turn;
      }
      moved = true;
      visit(next);
    }
    if (!moved && !finished) ++stuck_;
  }

  int slots_;
  int turns_;
  std::set<State> seen_;
  int broken_ = 0;
  int stuck_ = 0;
};

TEST(SharedChannel, NoInterleavingOverwritesWhatIsStillToBeUnpacked) {
  const Interleavings two(2, 6);
  EXPECT_EQ(two.broken(), 0);
  EXPECT_EQ(two.stuck(), 0);
  EXPECT_GT(two.states(), 200U);
}

TEST(SharedChannel, WithOneSlotSomeInterleavingDoes) {
  const Interleavings one(1, 6);
  EXPECT_GT(one.broken(), 0) << "the check above can fail";
  EXPECT_EQ(one.stuck(), 0);
}

}  // namespace
}  // namespace plait::solve
