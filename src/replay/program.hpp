// SPDX-License-Identifier: BSD-3-Clause
// What a replay executes: a sequence of steps per rank, from a trace or generated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/processes.hpp"
#include "trace/trace.hpp"

namespace plait::replay {

enum class StepKind : std::uint8_t {
  compute,      ///< seconds
  send,         ///< blocking: returns when the buffer is free
  isend,        ///< request
  receive,      ///< blocking
  ireceive,     ///< request
  wait,         ///< for one request
  collective,   ///< blocking, all members of a communicator
  icollective,  ///< request
  signal,       ///< lets another thread of the process go on: no time
  await,        ///< waits for the signal of another thread of the process, outside MPI
  call,         ///< seconds inside MPI without a message, as recorded; 0: a poll
  end
};

/// True if a poll this long after another one belongs to the same loop; a longer gap is
/// computation. What interrupts a loop takes little of its time: Plait reads how long the thread
/// waited for a CPU, and waits of less than 0.2 ms are not known.
/// @param polled_ns  since the first poll of the loop
inline bool is_one_polling_loop(double gap_ns, std::int64_t polled_ns) {
  return gap_ns < std::clamp(static_cast<double>(polled_ns) / 16, 2e3, 2e5);
}

/// Step::request of an operation that no step waits for.
inline constexpr std::uint32_t kNoRequest = ~0U;

struct Step {
  StepKind kind = StepKind::end;
  bool synchronous = false;                 ///< a send that ends after its receive has begun
  bool buffered = false;                    ///< a send that never waits
  std::uint32_t partner = 0;                ///< rank or thread; receive: actual source;
                                            ///< collective: own index among the members
  std::uint32_t tag = 0;                    ///< matching key: communicator and tag together; in
                                            ///< programs of traces Trace::messages, and higher for
                                            ///< messages of neighbourhood collectives
  std::uint32_t request = 0;                ///< of this rank; reusable after its wait
  std::uint32_t event = trace::kNone;       ///< its event in the trace (index in stream 0)
  std::uint64_t bytes = 0;                  ///< collective: own contribution
  double seconds = 0;                       ///< kCompute, kCall
  std::uint32_t collective = trace::kNone;  ///< Program::collective()
};

enum class Pattern : std::uint8_t {
  barrier,
  broadcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  scan
};

/// A collective and its members.
struct CollectiveStep {
  Pattern pattern = Pattern::barrier;
  std::uint32_t root = 0;                               ///< index into members
  const std::vector<std::uint32_t>* members = nullptr;  ///< ranks; valid as long as the program
  std::uint64_t bytes = 0;                              ///< of one member (mean if they differ)
};

/// The ranks of a job and their steps. The engine asks for a rank's next step when the previous one
/// is done, so generated programs need no memory for steps.
///
/// A rank may have further threads with steps of their own. They have the numbers from ranks() on,
/// wherever a function takes a rank.
class Program {
public:
  virtual ~Program() = default;
  virtual std::uint32_t ranks() const = 0;
  /// The number of threads, main threads included.
  virtual std::uint32_t threads() const { return ranks(); }
  /// The rank of a thread.
  virtual std::uint32_t rank_of(std::uint32_t thread) const { return thread; }
  virtual std::uint32_t node_of(std::uint32_t rank) const = 0;
  /// When the rank starts, s; only differences between ranks matter.
  virtual double start_s(std::uint32_t /*rank*/) const { return 0; }
  /// How many ranks shared the node when the rank's computation times were taken; 0: use these
  /// times unchanged.
  virtual std::uint32_t compute_shared_by(std::uint32_t /*rank*/) const { return 0; }
  /// The number of events that Step::event may refer to.
  virtual std::size_t events(std::uint32_t /*rank*/) const { return 0; }
  /// The rank's next step; always kEnd after the last.
  virtual Step next(std::uint32_t rank) = 0;
  /// The collective of a step, by Step::collective.
  virtual CollectiveStep collective(std::uint32_t index) const = 0;
  /// Restarts every rank at its first step.
  virtual void rewind() = 0;
  /// True if several threads may ask for the next steps of different ranks at the same time; those
  /// of a rank and its further threads are always asked for by one.
  virtual bool steps_at_once() const { return false; }
  /// True if the program has steps only of the ranks of this process (ranks_of_process()). Then the
  /// processes must replay it together.
  virtual bool is_part() const { return false; }
};

/// What a program from a trace leaves out or keeps as recorded.
struct LeftOut {
  std::uint64_t without_partner = 0;  ///< operations without a recorded partner
  std::uint64_t other_threads = 0;    ///< operations with a side on a thread that is not replayed
  std::uint64_t as_recorded = 0;      ///< calls that keep their recorded time: one-sided, files,
                                      ///< collectives among unknown neighbours
};

struct TraceProgramOptions {
  std::vector<std::uint32_t> nodes;  ///< by rank; empty: as recorded
  bool subtract_overhead = false;    ///< subtract Rank::overhead_ns_per_event from computation
  bool other_threads = false;        ///< also the other threads that call MPI
  LeftOut* left_out = nullptr;       ///< set when the program is created; may be null
  Processes* processes = nullptr;    ///< that have the other parts of a Trace::is_part
  /// Step::tag by message, must outlive the program; null or empty: the program chooses.
  const std::vector<std::uint32_t>* tags = nullptr;
};

/// The main threads of a trace as a program: computation between calls as recorded, matched
/// messages, wildcard receives with their recorded match. Failed polls count as waiting. Ranks
/// start at the end of MPI_Init and end at MPI_Finalize. Further threads begin with the OpenMP
/// regions in which they work, whose ends wait for them; threads outside of such regions begin with
/// their rank, and nothing waits for their ends. docs/explanation/replay.md lists what
/// cannot be replayed. On other nodes than recorded, computation counts as shared by the ranks of
/// the recorded node. The trace must outlive the program. Collective if the trace is a part.
std::unique_ptr<Program> program_of(const trace::Trace& trace, const TraceProgramOptions& options);
std::unique_ptr<Program> program_of(const trace::Trace& trace,
                                    std::vector<std::uint32_t> nodes = {});

/// A halo exchange: iterations of computation and exchange of faces on a grid of ranks (x fastest),
/// axis by axis, both directions of an axis at once (Stengel 2010, section 3.1.1).
struct HaloProgram {
  std::uint32_t parts[3] = {1, 1, 1};  ///< ranks along each axis
  bool periodic = false;
  std::uint32_t ranks_per_node = 1;         ///< consecutive ranks fill a node
  double compute_s = 0;                     ///< alone on a node (see Network::node_speedup)
  std::uint64_t face_bytes[3] = {0, 0, 0};  ///< across x, y, z
  std::uint32_t iterations = 10;
};

/// @throws Error when the grid has no ranks or more than 2^24, or ranks_per_node is 0.
std::unique_ptr<Program> halo_program(const HaloProgram& of);

/// Iterations of computation and an all-to-all exchange of all ranks, as in spectral solvers (Jost
/// and Robins 2010, section 3).
struct TransposeProgram {
  std::uint32_t ranks = 1;
  std::uint32_t ranks_per_node = 1;  ///< consecutive ranks fill a node
  double compute_s = 0;              ///< alone on a node (see Network::node_speedup)
  std::uint64_t bytes = 0;           ///< of a rank, of which each rank gets an equal part
  std::uint32_t iterations = 10;
};

/// An exchange has a message for each pair of ranks.
inline constexpr std::uint32_t kMostTransposingRanks = 1U << 16;

/// @throws Error when there are no ranks or more than kMostTransposingRanks, or ranks_per_node is
///         0.
std::unique_ptr<Program> transpose_program(const TransposeProgram& of);

}  // namespace plait::replay
