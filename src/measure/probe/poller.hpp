// SPDX-License-Identifier: BSD-3-Clause
// A communicating thread: tests a message until it completes while the main thread computes.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "mpi_library.hpp"

namespace plait::measure {

/// It sleeps between tests, so that it also helps if it shares a core (like the comm_thread
/// schedule of the library). MPI must allow calls from one thread at a time.
class Poller {
public:
  /// Starts the thread, which calls MPI only between take() and give_back().
  /// @param pus  hardware threads on which it may run
  Poller(const MpiLibrary& mpi, const std::vector<int>& pus);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// Starts testing a request. The caller must not call MPI until give_back() returns.
  void take(MPI_Request request);
  /// Waits until the message has completed.
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
