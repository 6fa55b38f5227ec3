// SPDX-License-Identifier: BSD-3-Clause
// How a thread waits for the messages of an exchange: spinning, yielding or sleeping.
#pragma once

#include <mpi.h>

#include <chrono>

#include "plait/halo.hpp"
#include "plait/schedule.hpp"

namespace plait::solve {

class PartitionedExchange;

/// Lets one thread wait for exchanges, again and again; it learns how long they take and whether
/// others want its core.
///
/// A thread that spins without a core of its own keeps the very rank from running that it waits
/// for; one that sleeps too long wakes late. So automatic spins where the thread owns a core and
/// has not lately been taken off it, and else sleeps a twentieth of the time on the wire.
class Waiter {
public:
  /// @param policy     Wait::automatic decides by `owns_core`
  /// @param poll       pause of sleeping; 0: chosen
  Waiter(Wait policy, std::chrono::microseconds poll, bool owns_core)
      : policy_(policy), poll_(poll), owns_core_(owns_core) {}

  /// Where the core is not the calling thread's own, those who have just been woken and wait for it
  /// get it first: who computes beside an exchange before it is sent, which may keep the core for
  /// as long as the messages take, or who sends before one computes. Linux would otherwise let
  /// them wait out a time slice.
  void make_way() const;
  /// Returns when the exchange in flight has arrived. The thread that may call MPI calls it.
  void wait(Halo& halo);
  void wait(PartitionedExchange& exchange);

private:
  using Clock = std::chrono::steady_clock;

  template <class Exchange>
  void wait_for(Exchange& exchange);
  /// Polls without pause. False when the thread was taken off its core meanwhile.
  template <class Exchange>
  bool spin(Exchange& exchange);
  template <class Exchange>
  void sleep(Exchange& exchange, Clock::time_point begin);

  Wait policy_;
  std::chrono::microseconds poll_;
  bool owns_core_;
  int waits_to_sleep_ = 0;  ///< after an involuntary switch: waits before spinning is tried again
  double expected_us_ = 0;  ///< of a wait, smoothed
};

/// Waits for one request, in MPI for a moment, then sleeping between tests: for collective calls
/// that do not hurry, when ranks may share cores.
void wait_politely(MPI_Request& request);

}  // namespace plait::solve
