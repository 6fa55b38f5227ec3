// SPDX-License-Identifier: BSD-3-Clause
// Waits for the messages of an exchange by spinning, yielding or sleeping.
#pragma once

#include <mpi.h>

#include <chrono>

#include "plait/halo.hpp"
#include "plait/schedule.hpp"

namespace plait::solve {

class PartitionedExchange;

/// Something to wait for.
class InFlight {
public:
  InFlight() = default;
  virtual ~InFlight() = default;
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  /// True once it is complete; lets it progress.
  virtual bool test() = 0;
  /// Returns once test() would return true; polls without pause, or blocks inside MPI.
  virtual void wait() {
    while (!test()) {
    }
  }
};

/// Waits for exchanges on behalf of one thread. It learns how long they take and whether other
/// threads need the core.
///
/// A thread that spins on a shared core keeps the rank that it waits for from running; a thread
/// that sleeps too long wakes late. So Wait::automatic spins if the thread owns a core and has not
/// recently been displaced from it. Otherwise it sleeps for a twentieth of the expected wait.
class Waiter {
public:
  /// @param policy     Wait::automatic decides by `owns_core`
  /// @param poll       pause between polls of Wait::sleep; 0: chosen here
  Waiter(Wait policy, std::chrono::microseconds poll, bool owns_core)
      : policy_(policy), poll_(poll), owns_core_(owns_core) {}

  /// If the core is shared, lets threads run that have just been woken and wait for it; otherwise
  /// Linux would make them wait for a time slice. Call it before sending, so that the computing
  /// thread starts first, or before computing, so that the helper thread sends first.
  void make_way() const;
  /// Returns when the exchange in flight has completed. Call it from the thread that may call MPI.
  void wait(Halo& halo);
  void wait(PartitionedExchange& exchange);
  void wait(InFlight& exchange);

private:
  using Clock = std::chrono::steady_clock;

  template <class Exchange>
  void wait_for(Exchange& exchange);
  /// Polls without pause. Returns false if the thread was displaced from its core.
  template <class Exchange>
  bool spin(Exchange& exchange);
  template <class Exchange>
  void sleep(Exchange& exchange, Clock::time_point begin);

  Wait policy_;
  std::chrono::microseconds poll_;
  bool owns_core_;
  int waits_to_sleep_ = 0;  ///< waits until spinning is tried again after an involuntary switch
  double expected_us_ = 0;  ///< smoothed duration of a wait
};

/// Waits for one request: polls briefly, then sleeps between tests. For collective calls that are
/// not time-critical, because ranks may share cores.

void wait_politely(MPI_Request& request);

}  // namespace plait::solve
