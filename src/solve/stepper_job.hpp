// SPDX-License-Identifier: BSD-3-Clause
// One step to be done: its cells, its order, who waits how; and the team of threads that does it.
#pragma once

#include <omp.h>

#include <chrono>
#include <span>
#include <vector>

#include "plait/halo.hpp"
#include "plait/stepper.hpp"
#include "solve/blocks.hpp"
#include "solve/wait.hpp"

namespace plait::solve {

/// Whether a step fills the ghosts that it reads, or those of what it writes.
enum class Order {
  exchange_first,  ///< Stepper::step
  boundary_first,  ///< Stepper::advance
};

/// The own cells of a rank by what they need.
struct Cells {
  explicit Cells(const Halo& halo) : own{halo.own()} {
    // Without interior nothing runs beside the exchange, and one box is better than six.
    interior = halo.interior();
    boundary = interior.empty() ? own : halo.boundary();
  }
  std::vector<Box> own;       ///< all, one box
  Box interior;               ///< those that need no ghost; may be empty
  std::vector<Box> boundary;  ///< the others
};

/// Where the time of a step went, in seconds, as the main thread saw it.
struct StepTimes {
  double compute_s = 0;       ///< blocking: all cells; with_one_less: the interior
  double boundary_s = 0;      ///< with_one_less: the boundary, by one thread
  double exchange_s = 0;      ///< blocking: from begin to the end of unpack
  double wait_s = 0;          ///< blocking, nonblocking: in the wait that follows send and interior
  double exchange_cpu_s = 0;  ///< blocking: CPU time of the main thread in MPI
};

/// All that running one step takes.
struct StepJob {
  Halo& halo;
  std::span<const FieldView> fields;
  const Stepper::Update& update;
  Order order;
  int threads;
  const Cells& cells;
  Int3 block;                  ///< as in Schedule; 0: chosen
  Waiter& waiter;              ///< of the thread that communicates
  StepTimes* times = nullptr;  ///< where to note times, or nullptr
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

/// Calls work(member) on each thread of a team; a team of one needs no OpenMP. The caller is
/// member 0: where it is MPI's main thread, so is member 0.
template <class Work>
void with_team(int threads, Work&& work) {
  if (threads <= 1) {
    work(Member{});
    return;
  }
#pragma omp parallel num_threads(threads)
  work(Member{omp_get_thread_num(), omp_get_num_threads()});
}

/// Updates what part `part` of `parts` gets of some boxes.
inline void update_share(const StepJob& job, std::span<const Box> boxes, int part, int parts) {
  for_share(boxes, parts, part,
            [&](const Box& share) { for_blocks(share, job.block, job.update); });
}

/// Seconds between two marks.
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
