// SPDX-License-Identifier: BSD-3-Clause
// What each process of a measurement does.
#include "measures.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

#include "base/pause.hpp"

namespace plait::queues {
namespace {

using namespace transport;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Kinds of messages.
enum Tag : uint64_t { kBarrier, kData, kPing, kPong, kBulk, kStop, kRelease, kTags };

constexpr uint32_t kSmallBytes = 8;
constexpr uint32_t kBulkMessages = 8;  ///< in a block of the bandwidth
constexpr uint32_t kPeers = 16;        ///< to which a process sends in a round of the rate

class Inbox final : public Receiver {
public:
  Inbox(uint64_t most_bytes, uint32_t members)
      : arrived(members), buffer_(std::max<uint64_t>(most_bytes, 64)) {}

  Place begin(const Arrival& arrival) override {
    static_cast<void>(arrival);
    return {buffer_.data(), buffer_.size()};
  }
  void end(const Arrival& arrival, void* item) override {
    static_cast<void>(item);
    ++count[arrival.tag];
    ++arrived[arrival.from];
  }

  std::array<uint64_t, kTags> count{};
  std::vector<uint64_t> arrived;  ///< from each process

private:
  std::vector<std::byte> buffer_;
};

/// A process.
class Process {
public:
  Process(Queues& queues, const Plan& plan, Control& control)
      : queues_(queues),
        self_(queues.self()),
        count_(queues.node().members()),
        plan_(plan),
        control_(control),
        inbox_(plan.bytes, count_),
        expected_(count_),
        messages_(queues, inbox_, plan.policy),
        data_(std::max<uint64_t>(plan.bytes, kSmallBytes)) {}

  bool run() {
    const bool first = self_ == 0;
    return barrier() && (self_ > 1 || bare_exchange()) &&
           (first ? latency() && bandwidth() && send(1, kStop, 0) : self_ > 1 || serve()) &&
           barrier() && (first ? poll() && release_others() : wait_for_release()) && rate();
  }

private:
  /// Sends a message and waits until its data may be changed.
  bool send(uint32_t to, Tag tag, uint64_t bytes) {
    Send send{to, tag, data_.data(), bytes};
    messages_.send(send);
    return messages_.run_until([&] { return send.done; });
  }

  /// Waits until so many messages have come in all.
  bool wait_for(Tag tag, uint64_t count) {
    return messages_.run_until([&] { return inbox_.count[tag] >= count; });
  }

  /// Posts a receive, unless its message is here already. Each message is expected once.
  void expect(uint32_t from) {
    if (++expected_[from] > inbox_.arrived[from]) queues_.expect(from);
  }

  /// All processes have come here.
  bool barrier() {
    ++barriers_;
    if (self_ != 0) {
      expect(0);
      return send(0, kBarrier, 0) && wait_for(kBarrier, barriers_);
    }
    for (uint32_t other = 1; other < count_; ++other) expect(other);
    if (!wait_for(kBarrier, barriers_ * (count_ - 1))) return false;
    for (uint32_t other = 1; other < count_; ++other) {
      if (!send(other, kBarrier, 0)) return false;
    }
    return true;
  }

  /// Nobody sends anything before that.
  bool wait_for_release() {
    expect(0);
    return wait_for(kRelease, 1);
  }

  bool release_others() {
    for (uint32_t other = 1; other < count_; ++other) {
      if (!send(other, kRelease, 0)) return false;
    }
    return true;
  }

  /// Answers process 0 until it says stop.
  bool serve() {
    for (uint64_t answers = 0; inbox_.count[kStop] == 0;) {
      expect(0);
      if (!messages_.run_until([&] { return inbox_.arrived[0] >= expected_[0]; })) return false;
      for (; answers < inbox_.count[kPing]; ++answers) {
        if (!send(0, kPong, kSmallBytes)) return false;
      }
    }
    return true;
  }

  /// A cache line that two processes write in turn: what no queue can be faster than.
  bool bare_exchange() {
    constexpr uint32_t kTurns = 50;
    uint32_t turn = 0;
    for (uint32_t block = 0; block < kBlocks; ++block) {
      const Clock::time_point begin = Clock::now();
      for (uint32_t i = 0; i < kTurns; ++i, turn += 2) {
        if (!wait_for_turn(turn + self_)) return false;
        control_.flag.store(turn + self_ + 1, std::memory_order_release);
      }
      if (self_ == 0) {
        if (!wait_for_turn(turn)) return false;
        note(kBare, block, seconds_since(begin) / (2 * kTurns));
      }
    }
    return true;
  }

  bool wait_for_turn(uint32_t turn) {
    uint32_t look = 0;
    for (uint32_t spin = 1; control_.flag.load(std::memory_order_acquire) != turn; ++spin) {
      pause_cpu();
      if (spin % 1000 != 0) continue;
      sched_yield();
      if (spin % 100'000 == 0) queues_.node().look_for_dead(look);
      if (queues_.node().failed()) return false;
    }
    return true;
  }

  /// Repeats an action so often that it takes the time of a block, and notes
  /// sample(seconds, repetitions) of each block.
  template <class Action, class Sample>
  bool measure(Measure measure, Action action, Sample sample) {
    uint64_t repetitions = 1;
    for (uint32_t block = 0; block < kBlocks;) {
      const Clock::time_point begin = Clock::now();
      for (uint64_t i = 0; i < repetitions; ++i) {
        if (!action()) return false;
      }
      const double seconds = seconds_since(begin);
      if (block == 0 && seconds < plan_.seconds / kBlocks / 2) {
        repetitions *= 2;  // and the block is repeated
        continue;
      }
      note(measure, block++, sample(seconds, repetitions));
    }
    return true;
  }

  bool ping(uint64_t bytes) {
    expect(1);
    return send(1, kPing, bytes) && wait_for(kPong, ++pongs_);
  }

  bool latency() {
    return measure(
        kLatency, [&] { return ping(kSmallBytes); },
        [](double seconds, uint64_t times) { return seconds / (2 * static_cast<double>(times)); });
  }

  bool bandwidth() {
    return measure(
        kBandwidth,
        [&] {
          for (uint32_t i = 1; i < kBulkMessages; ++i) {
            if (!send(1, kBulk, plan_.bytes)) return false;
          }
          return ping(plan_.bytes);
        },
        [&](double seconds, uint64_t times) {
          return static_cast<double>(times * kBulkMessages * plan_.bytes) / seconds;
        });
  }

  bool poll() {
    queues_.expect(1);  // a design may poll only where a message is expected
    return measure(
               kPoll,
               [&] {
                 Fragment fragment{};
                 return !queues_.take(fragment);
               },
               [](double seconds, uint64_t times) {
                 return seconds / static_cast<double>(times);
               }) &&
           (queues_.received(1), true);
  }

  /// Each process sends to the next ones, and waits for as many messages.
  bool send_to_peers() {
    const uint32_t peers = std::min(kPeers, count_ - 1);
    for (uint32_t k = 1; k <= peers; ++k) expect((self_ + count_ - k) % count_);
    for (uint32_t k = 1; k <= peers; ++k) {
      if (!send((self_ + k) % count_, kData, kSmallBytes)) return false;
    }
    data_expected_ += peers;
    return wait_for(kData, data_expected_);
  }

  bool rate() {
    uint32_t rounds = 1;
    for (uint32_t block = 0;;) {
      if (self_ == 0) control_.rounds.store(block < kBlocks ? rounds : 0);
      if (!barrier()) return false;
      const uint32_t now = control_.rounds.load();
      if (now == 0) return true;
      const Clock::time_point begin = Clock::now();
      for (uint32_t round = 0; round < now; ++round) {
        if (!send_to_peers()) return false;
      }
      if (!barrier()) return false;
      const double seconds = seconds_since(begin);
      if (self_ != 0) continue;
      if (block == 0 && seconds < plan_.seconds / kBlocks / 2) {
        rounds *= 2;
      } else {
        const double messages = 1.0 * now * count_ * std::min(kPeers, count_ - 1);
        note(kRate, block++, messages / seconds);
      }
    }
  }

  void note(Measure measure, uint32_t block, double sample) {
    control_.samples[measure][block] = sample;
  }

  Queues& queues_;
  const uint32_t self_, count_;
  const Plan& plan_;
  Control& control_;
  Inbox inbox_;
  std::vector<uint64_t> expected_;  ///< messages from each process
  Messages messages_;
  std::vector<std::byte> data_;
  uint64_t barriers_ = 0, pongs_ = 0, data_expected_ = 0;
};

}  // namespace

bool take_part(Queues& queues, const Plan& plan, Control& control) {
  return Process(queues, plan, control).run();
}

}  // namespace plait::queues
