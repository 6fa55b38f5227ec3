// SPDX-License-Identifier: BSD-3-Clause
// What processes that share an export write one after the other.
#include "export/in_turn.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/combine.hpp"

namespace plait::exports {
namespace {

/// Every text of a round begins with one of these.
constexpr char kGoesOn = '+', kIsDone = '.';

/// Sends what is put into it to process 0.
class Sender final : public Sink {
public:
  explicit Sender(Processes& processes) : processes_(processes) {}

  void end() { send(kIsDone); }

private:
  static constexpr std::size_t kTogether = 8 << 20;  // bytes

  void full() override {
    if (buffer_.size() >= kTogether) send(kGoesOn);
  }

  void send(char state) {
    std::vector<std::string> to(size_of(&processes_), std::string(1, state));
    to.front().append(buffer_.data(), buffer_.size());
    buffer_.clear();
    processes_.swap(std::move(to));
  }

  Processes& processes_;
};

}  // namespace

void receive_in_turn(Processes* processes, const std::function<void(Sink&)>& write,
                     const std::function<void(std::string_view)>& use) {
  const std::size_t size = size_of(processes);
  for (std::size_t turn = 1; turn < size; ++turn) {
    if (turn == rank_of(processes)) {
      Sender sender(*processes);
      write(sender);
      sender.end();
      continue;
    }
    for (bool goes_on = true; goes_on;) {
      const std::string text = std::move(processes->swap(std::vector<std::string>(size))[turn]);
      goes_on = text.front() == kGoesOn;
      if (rank_of(processes) == 0 && text.size() > 1) use(std::string_view(text).substr(1));
    }
  }
}

}  // namespace plait::exports
