// SPDX-License-Identifier: BSD-3-Clause
// Task mode with manual distribution (Stengel 2010, 4.2.2): one thread communicates while others
// compute; a member of the team, or a thread beside it.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "machine/cpuset.hpp"
#include "solve/stepper_job.hpp"

namespace plait::solve {

/// A thread that does one job at a time for the thread that made it, and sleeps in between. It
/// takes no signals and may run on any of the given hardware threads.
class HelperThread {
public:
  explicit HelperThread(const machine::CpuSet& cpus);
  ~HelperThread();
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  /// Has the thread call `work`, which must live until finish() has returned.
  void start(const std::function<void()>& work);
  /// Waits until the work is done. What it has thrown is thrown here.
  void finish();

private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;  ///< what is to be done or being done
  std::exception_ptr thrown_;
  bool ends_ = false;
  std::thread thread_;
};

/// Thread 0, which may call MPI, communicates and updates the boundary; threads 1 to p - 1 update
/// the interior. With a team of one: as polled.
void run_comm_thread_of_team(const StepJob& job);

/// The helper thread communicates, copies to and from messages included; the whole team updates the
/// interior beside it and the boundary before or after. Needs MPI_THREAD_SERIALIZED.
void run_comm_thread_beside_team(const StepJob& job, HelperThread& helper);

}  // namespace plait::solve
