// SPDX-License-Identifier: BSD-3-Clause
// One step to run (cells, order, waiting), and the team of threads that runs it.
#pragma once

#include <omp.h>

#include <chrono>
#include <span>
#include <vector>

#include "plait/halo.hpp"
#include "plait/stepper.hpp"
#include "solve/schedules/blocks.hpp"
#include "solve/schedules/wait.hpp"

namespace plait::solve {

/// The order in a step: fill the ghosts of its input before the update, or of its output after it.
enum class Order {
  exchange_first,  ///< Stepper::step
  boundary_first,  ///< Stepper::advance
};

/// The own cells of a rank, by whether they need ghosts.
struct Cells {
  explicit Cells(const Halo& halo) : own{halo.own()} {
    // Without an interior nothing overlaps the exchange, and one box is better than six.
    interior = halo.interior();
    boundary = interior.empty() ? own : halo.boundary();
  }
  std::vector<Box> own;       ///< all cells, as one box
  Box interior;               ///< cells that need no ghost; may be empty
  std::vector<Box> boundary;  ///< the other cells
};

/// The parts of a step's time in seconds, as measured by the main thread.
struct StepTimes {
  double compute_s = 0;       ///< blocking: all cells; with_one_less: the interior
  double boundary_s = 0;      ///< with_one_less: the boundary, by one thread
  double exchange_s = 0;      ///< blocking: from begin() to the end of unpack()
  double wait_s = 0;          ///< blocking, nonblocking: the wait after sending and the interior
  double exchange_cpu_s = 0;  ///< blocking: CPU time of the main thread in MPI
};

/// Everything needed to run one step.
struct StepJob {
  Halo& halo;
  std::span<const FieldView> fields;
  const Stepper::Update& update;
  Order order;
  int threads;
  const Cells& cells;
  Int3 block;                  ///< as in Schedule; 0: chosen here
  Waiter& waiter;              ///< of the thread that communicates
  StepTimes* times = nullptr;  ///< receives the times; may be null
};

/// A thread of the team.
struct Member {
  int id = 0;
  int size = 1;
  [[nodiscard]] bool leads() const { return id == 0; }
  void barrier() const {
    if (size > 1) {
#pragma omp barrier
    }
  }
};

/// Calls work(member) on each thread of a team. A team of one needs no OpenMP. The caller becomes
/// member 0, so member 0 may call MPI if the caller may.
template <class Work>
void with_team(int threads, Work&& work) {
  if (threads <= 1) {
    work(Member{});
    return;
  }
#pragma omp parallel num_threads(threads)
  work(Member{omp_get_thread_num(), omp_get_num_threads()});
}

/// Updates share `part` of `parts` of some boxes.
inline void update_share(const StepJob& job, std::span<const Box> boxes, int part, int parts) {
  for_share(boxes, parts, part,
            [&](const Box& share) { for_blocks(share, job.block, job.update); });
}

/// Measures the seconds between laps.
class Stopwatch {
public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double s = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return s;
  }

private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace plait::solve
