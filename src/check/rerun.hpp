// SPDX-License-Identifier: BSD-3-Clause
// Executes the logged operations of a job once more, each thread in its own order.
//
// An operation is posted when its thread's earlier waits are over. A receive ends when its send is
// posted; a collective call when the members whose data it needs have posted theirs. Messages and
// wildcard receives are matched as they were in the run. Calls of which it is not known what they
// wait for do not wait.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "check/collective_flow.hpp"
#include "check/collectives.hpp"
#include "check/job.hpp"
#include "check/messages.hpp"

namespace plait::check {

/// When a standard send ends: at once, or when its receive is posted.
enum class Sends { buffered, synchronous };

/// True for the functions that wait for the receive: "MPI_Ssend", "MPI_Issend" and others.
bool is_synchronous_send(const std::string& function);

/// Is called while a rerun posts and ends operations.
class RerunObserver {
public:
  virtual ~RerunObserver() = default;
  virtual void posted(OpRef op) = 0;
  /// A call of the operation's process has found that it ended.
  virtual void ended(OpRef op) = 0;
};

class Rerun {
public:
  /// All arguments must outlive the rerun. With synchronous sends, only calls that could not return
  /// before wait; else also those of Test, Waitany and Waitsome for what they found.
  /// @param partners  from Messages::partners
  /// @param observer  may be null
  Rerun(const Job& job, const Collectives& collectives,
        const std::vector<std::vector<OpRef>>& partners, Sends sends,
        RerunObserver* observer = nullptr);

  /// Runs until no thread can continue.
  void run();

  /// A send ends now, as if it were buffered. Call run() afterwards.
  void release(OpRef send);

  /// Number of threads.
  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }
  /// The operation that a thread waits for; kNoOp: it has ended.
  [[nodiscard]] OpRef blocked_on(std::size_t lane) const { return lanes_[lane].blocked_on; }
  /// An operation that is not posted, but would have to be before `op` can end; kNoOp: there is
  /// none.
  [[nodiscard]] OpRef needed_by(OpRef op) const;
  /// The thread that posts an operation.
  [[nodiscard]] std::size_t lane_of(OpRef op) const;
  [[nodiscard]] bool is_posted(OpRef op) const { return posted_[op.process][op.op]; }
  /// True if a posted operation can end.
  [[nodiscard]] bool can_end(OpRef op) const;

private:
  /// A wait of a thread: for `op`, when the process had posted `after` operations.
  struct Wait {
    std::uint32_t after = 0, op = 0;
  };
  struct Lane {
    std::uint32_t process = 0;
    std::vector<std::uint32_t> ops;
    std::vector<Wait> waits;
    std::size_t next_op = 0, next_wait = 0;
    OpRef blocked_on = kNoOp;
  };
  /// The members of a collective call.
  struct Call {
    const Collectives::Call* members = nullptr;
    Flow flow = Flow::none;
    OpRef root = kNoOp;
    std::size_t posted = 0;
  };

  [[nodiscard]] const plait_check_op& op(OpRef ref) const {
    return job_.processes[ref.process].ops[ref.op];
  }
  [[nodiscard]] std::uint64_t lane_key(std::uint32_t process, std::uint32_t thread) const {
    return std::uint64_t{process} << 32U | thread;
  }
  void make_lanes();
  void make_calls();
  [[nodiscard]] bool waits_for_receive(OpRef send) const;
  void advance(std::size_t lane);
  void post(OpRef ref);
  void wake(OpRef ref);

  const Job& job_;
  const Collectives& collectives_;
  const std::vector<std::vector<OpRef>>& partners_;
  Sends sends_;
  RerunObserver* observer_;
  std::vector<Lane> lanes_;
  std::map<std::uint64_t, std::size_t> lane_of_;     // by process and thread
  std::vector<std::vector<bool>> posted_, freed_;    // by process and operation
  std::vector<std::vector<std::uint32_t>> call_of_;  // index + 1 of an operation's call; 0: none
  std::vector<Call> calls_;
  std::map<OpRef, std::vector<std::size_t>> waiting_;  // threads by the operation they wait for
  std::deque<std::size_t> ready_;
};

}  // namespace plait::check
