// SPDX-License-Identifier: BSD-3-Clause
// Task mode with manual distribution (Stengel 2010, 4.2.2): one thread, either a member of the team
// or an extra one, communicates while the others compute.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "machine/cpuset.hpp"
#include "solve/schedules/stepper_job.hpp"

namespace plait::solve {

/// A thread that does one job at a time for its creator and sleeps in between. It blocks all
/// signals and may run on any of the given hardware threads.
class HelperThread {
public:
  explicit HelperThread(const machine::CpuSet& cpus);
  ~HelperThread();
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  /// Makes the thread call `work`, which must live until finish() has returned.
  void start(const std::function<void()>& work);
  /// Waits until the work is done. Rethrows what `work` has thrown.
  void finish();

private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;  ///< pending or running
  std::exception_ptr thrown_;
  bool ends_ = false;
  std::thread thread_;
};

/// Thread 0, which may call MPI, communicates and updates the boundary; threads 1 to p - 1 update
/// the interior. With a team of one: same as polled.
void run_comm_thread_of_team(const StepJob& job);

/// The helper thread communicates, packs and unpacks. The whole team updates the interior at the
/// same time, and the boundary before or after. Needs MPI_THREAD_SERIALIZED.
void run_comm_thread_beside_team(const StepJob& job, HelperThread& helper);

}  // namespace plait::solve
