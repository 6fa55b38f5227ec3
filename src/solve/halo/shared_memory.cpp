// SPDX-License-Identifier: BSD-3-Clause
// Halo messages through shared memory within a node, by another transport between nodes.
#include <sched.h>

#include <chrono>
#include <thread>

#include "base/pause.hpp"
#include "solve/halo/transport.hpp"

namespace plait::solve {
namespace {

/// A rank that waits polls this often at the full rate (some ten microseconds). Then it yields its
/// core between polls. After a while it sleeps between polls, because its partner may need the
/// core.
constexpr int polls_at_full_rate = 1000;
constexpr auto sleeps_after = std::chrono::milliseconds(1);
constexpr auto nap = std::chrono::microseconds(20);

class SharedMemory final : public HaloTransport {
public:
  SharedMemory(const HaloWindow& window, std::span<const std::size_t> messages,
               std::span<std::byte*> outgoing, std::span<std::byte*> incoming,
               std::unique_ptr<HaloTransport> elsewhere)
      : partners_(window.partners()),
        messages_(messages.begin(), messages.end()),
        outgoing_(outgoing),
        incoming_(incoming),
        elsewhere_(std::move(elsewhere)) {}

  void begin(std::span<const FieldView> fields) override {
    ++turn_;
    missing_ = 0;
    sent_ = false;
    for (std::size_t i = 0; i < partners_.size(); ++i) {
      outgoing_[messages_[i]] = partners_[i].to.slot(turn_);
      incoming_[messages_[i]] = partners_[i].from.slot(turn_);
    }
    if (elsewhere_) elsewhere_->begin(fields);
  }

  void send() override {
    for (const HaloWindow::Partner& partner : partners_) partner.to.publish(turn_);
    if (elsewhere_) elsewhere_->send();
    sent_ = true;
  }

  bool test() override {
    while (missing_ < partners_.size() && partners_[missing_].from.arrived(turn_)) ++missing_;
    const bool others = !elsewhere_ || elsewhere_->test();
    return missing_ == partners_.size() && others && sent_;
  }

  void wait() override {
    for (int poll = 0; poll < polls_at_full_rate; ++poll) {
      if (test()) return;
      pause_cpu();
    }
    const auto patience = std::chrono::steady_clock::now() + sleeps_after;
    while (!test()) {
      if (std::chrono::steady_clock::now() < patience) {
        sched_yield();
      } else {
        std::this_thread::sleep_for(nap);
      }
    }
  }

private:
  const std::vector<HaloWindow::Partner>& partners_;
  std::vector<std::size_t> messages_;  ///< index of each partner's message
  std::span<std::byte*> outgoing_;
  std::span<std::byte*> incoming_;
  std::unique_ptr<HaloTransport> elsewhere_;
  std::uint64_t turn_ = 0;
  std::size_t missing_ = 0;  ///< all partners before this one have sent
  bool sent_ = true;
};

}  // namespace

std::unique_ptr<HaloTransport> make_shared_memory(const HaloWindow& window,
                                                  std::span<const std::size_t> messages,
                                                  std::span<std::byte*> outgoing,
                                                  std::span<std::byte*> incoming,
                                                  std::unique_ptr<HaloTransport> elsewhere) {
  return std::make_unique<SharedMemory>(window, messages, outgoing, incoming, std::move(elsewhere));
}

}  // namespace plait::solve
