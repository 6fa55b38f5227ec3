// SPDX-License-Identifier: BSD-3-Clause
// Which sends depend on the end of which receives from any source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "check/collectives.hpp"
#include "check/job.hpp"
#include "check/messages.hpp"
#include "check/rerun.hpp"

namespace plait::check {

/// Vector clocks (Fidge 1988, Mattern 1989) of the processes that receive from any source: each
/// process knows how far it depends on each of them.
class CausalOrder : private RerunObserver {
public:
  /// All arguments must outlive it. Takes O(operations x receivers) time.
  CausalOrder(const Job& job, const Collectives& collectives,
              const std::vector<std::vector<OpRef>>& partners);

  /// False if something ordered the operations that Plait does not see; see why_not().
  [[nodiscard]] bool is_known() const { return why_not_.empty(); }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] bool has_receivers() const { return !receivers_.empty(); }
  /// True if the process receives from any source.
  [[nodiscard]] bool is_receiver(std::uint32_t process) const {
    return component_[process] != kNone;
  }

  /// True if the send could not begin before the receive had ended.
  /// @param receive  complete, from any source
  /// @param send     to the same process
  [[nodiscard]] bool is_before(OpRef receive, OpRef send) const;

private:
  static constexpr std::uint32_t kNone = ~0U;
  using Clock = std::vector<std::uint32_t>;  // by receiver

  void posted(OpRef op) override;
  void ended(OpRef op) override;
  void find_receivers();
  void check_knowledge();
  [[nodiscard]] bool is_synchronous(OpRef ref) const;
  void join(Clock& into, const Clock& from) const;
  [[nodiscard]] const plait_check_op& op(OpRef ref) const {
    return job_.processes[ref.process].ops[ref.op];
  }

  /// What the members of a collective call know.
  struct CallClock {
    Clock all, root;
    std::size_t ended = 0;
  };
  [[nodiscard]] CallClock* clock_of_call(OpRef ref, bool make);

  const Job& job_;
  const std::vector<std::vector<OpRef>>& partners_;
  std::vector<std::uint32_t> component_;  // of a process in clocks; kNone: no receiver
  std::vector<std::uint32_t> receivers_;  // processes
  std::vector<Clock> clocks_;             // by process
  std::map<OpRef, Clock> in_flight_;      // of posted operations whose partner has not ended
  std::map<std::pair<std::uint64_t, std::uint64_t>, CallClock> calls_;  // by key and ordinal
  std::map<OpRef, std::uint32_t> ends_;   // of wildcard receives, on the receiver's clock
  std::map<OpRef, std::uint32_t> known_;  // of sends to receivers: what they know of it
  std::string why_not_;
};

}  // namespace plait::check
