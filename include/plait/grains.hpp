// SPDX-License-Identifier: BSD-3-Clause
// Thread-to-thread overlap: a block of grains that a team of threads computes while one of its
// threads communicates (Viet, Yoshinaga, Abderazek and Sowa 2005, section 3).
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plait/schedule.hpp"

namespace plait {

/// Which thread of the team communicates (Viet, 4.1).
enum class CommunicatingThread {
  master,  ///< thread 0; needs MPI_THREAD_FUNNELED
  first,   ///< whichever comes first; needs MPI_THREAD_SERIALIZED
};

/// How a block runs.
struct GrainOptions {
  int threads = 0;  ///< of the team; 0: OpenMP's default
  CommunicatingThread communicating = CommunicatingThread::master;
  int channels = 1;  ///< communicating threads; more than 1 need MPI_THREAD_MULTIPLE
  /// Grains that all threads compute before the first communication (n_p_only, Viet, 6.3);
  /// -1: chosen by grains_before() from the times that the run before measured.
  int grains_before = -1;
  Wait wait = Wait::automatic;  ///< how a thread waits; automatic: spins, then yields, then sleeps
};

/// Where the time of a run went, in seconds. Local.
struct GrainTimes {
  double total_s = 0;
  double before_s = 0;         ///< until the first communication began
  double communicating_s = 0;  ///< in communication, of the thread that communicated longest
  double waiting_s = 0;        ///< for grains, of the thread that communicated longest
  double grain_s = 0;          ///< of one grain on one thread, mean
  double message_s = 0;        ///< of one communication: the time in which any was on its way / all
  int before = 0;              ///< grains computed before the first communication
};

/// A block: computations and communications with dependencies, which run() executes in one OpenMP
/// parallel region.
///
/// Tasks are declared in the order in which they should run, and a task may depend on tasks that
/// were declared before it. So every graph can be completed. The team takes grains in that order,
/// one by one; a thread that has taken a grain waits until what it depends on is complete. The
/// communicating thread runs its tasks in order, each as soon as what it depends on is complete;
/// until then, and afterwards, it computes grains too.
///
/// An exception in a task ends the block: tasks that have not begun are left out, and run() throws
/// it. Other ranks may then wait for messages that never come.
class GrainBlock {
public:
  /// Names a task of its block.
  struct Task {
    int index = -1;
  };
  using Run = std::function<void(int part)>;
  /// Starts a communication and adds its requests.
  using Begin = std::function<void(int part, std::vector<MPI_Request>& requests)>;

  /// Local. @throws Error if an option is out of range, or MPI's thread level is too low for it
  explicit GrainBlock(std::string name, const GrainOptions& options = {});
  ~GrainBlock();
  GrainBlock(GrainBlock&&) noexcept;
  GrainBlock& operator=(GrainBlock&&) noexcept;

  /// A computation of `grains` parts; run(0) to run(grains - 1) are called once each, by any
  /// threads, at the same time. They must not call MPI.
  Task compute(const std::string& name, int grains, Run run);
  /// A computation of the communicating thread, in parts that run in order.
  Task compute_in_order(const std::string& name, int parts, Run run);
  /// A communication of the communicating thread, in parts that run in order. `run` returns when a
  /// part is complete, and may call MPI.
  Task communicate(const std::string& name, int parts, Run run);
  /// The same without waiting: a part is complete when its requests are. Further tasks of the
  /// communicating thread, and grains, run in the meantime.
  Task begin_communication(const std::string& name, int parts, Begin begin);

  /// What the communicating threads call after each of their grains and while they wait: for
  /// communication that the program drives itself, such as a broadcast in stages. With several
  /// channels, several threads may call it at once.
  void on_progress(std::function<void()> progress);

  /// Every part of `later` runs after all parts of `earlier`.
  /// @throws Error if `earlier` was not declared before `later`
  void after(Task later, Task earlier);
  /// Part i of `later` runs after part i of `earlier`.
  /// @throws Error as after(), and if they have different numbers of parts
  void after_each(Task later, Task earlier);

  /// Runs all tasks; may be called again and again. Collective in so far as its communications are.
  /// @throws Error inside a parallel region, and what a task throws
  void run();

  /// The dependencies as a graph for Graphviz: boxes compute, ellipses communicate. Local.
  [[nodiscard]] std::string graph() const;
  /// Of the last run. Local.
  [[nodiscard]] GrainTimes times() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How many grains to compute before the first communication, so that the rest takes as long as the
/// communications: N - (M - 1) t_m / t_g with t_g the time that the team without the communicating
/// thread needs per grain; at least one grain per thread (Viet, 6.3, says which speeds decide).
/// @param grains      N, of the block
/// @param messages    M, communications of the block
/// @param threads     of the team
/// @param grain_s     of one grain on one thread, in seconds
/// @param message_s   of one communication, in seconds
/// @return  from min(threads, grains) to grains; 0 if there are none
int grains_before(int grains, int messages, int threads, double grain_s, double message_s);

/// A measured exchange: messages of this size in both directions.
struct ExchangeSpeed {
  double bytes = 0;
  double bytes_per_s = 0;
};

/// Sizes at which measure_exchange() measures: 1 KiB, 2 KiB and so on up to 256 KiB.
inline constexpr int kExchangeSizes = 9;

/// Measures how fast this rank and a partner exchange messages of kExchangeSizes sizes. Collective
/// over `comm`; sends about 4 MB and takes a hundred times the latency.
/// @param partner  the rank whose partner is this one; this rank itself or MPI_PROC_NULL: none
/// @return  for each size, the speed of the slowest pair: the same on all ranks; 0 without pairs
/// @throws CollectiveError if a partner is not a rank
std::vector<ExchangeSpeed> measure_exchange(MPI_Comm comm, int partner);

/// The size of a grain's message: the smallest one that reaches 90 % of the highest bandwidth
/// (Viet, section 5: 1750 and 2000 doubles on his clusters). 0 without speeds.
double grain_bytes(std::span<const ExchangeSpeed> speeds);

}  // namespace plait
