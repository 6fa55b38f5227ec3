// SPDX-License-Identifier: BSD-3-Clause
// A communicating thread: tests a message to its end while the rank's own thread computes.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "mpi_library.hpp"

namespace plait::measure {

/// Between tests it sleeps, so that it also helps where it has no core of its own (the library's
/// comm_thread schedule waits alike). MPI must allow calls from one thread at a time.
class Poller {
public:
  /// @param pus  hardware threads on which it may run. It enters MPI only between take and
  /// give_back.
  Poller(const MpiLibrary& mpi, const std::vector<int>& pus);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// From now on, until give_back returns, the caller may not enter MPI.
  void take(MPI_Request request);
  /// Waits until the message has ended.
  void give_back();

private:
  enum class State { idle, at_work, done, end };
  void poll();

  const MpiLibrary& mpi_;
  MPI_Request request_{};
  std::atomic<State> state_{State::idle};
  std::thread thread_;
};

}  // namespace plait::measure
