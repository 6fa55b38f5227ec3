// SPDX-License-Identifier: BSD-3-Clause
// What a replay executes: for each rank a sequence of steps, made from a trace or generated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/trace.hpp"

namespace plait::replay {

enum class StepKind : std::uint8_t {
  kCompute,      ///< seconds
  kSend,         ///< blocking: returns when the buffer is free
  kIsend,        ///< request
  kReceive,      ///< blocking
  kIreceive,     ///< request
  kWait,         ///< for one request
  kCollective,   ///< blocking, all members of a communicator
  kIcollective,  ///< request
  kCall,         ///< seconds inside MPI that no message explains (they stay as recorded); 0: a poll
  kEnd
};

/// Step::request of an operation that nobody waits for.
inline constexpr std::uint32_t kNoRequest = ~0U;

struct Step {
  StepKind kind = StepKind::kEnd;
  bool synchronous = false;                 ///< a send that ends when its receive has begun
  bool buffered = false;                    ///< a send that never waits
  std::uint32_t partner = 0;                ///< rank; of a receive the actual source;
                                            ///< collective: own index among the members
  std::uint32_t tag = 0;                    ///< matching key: communicator and tag together
  std::uint32_t request = 0;                ///< of this rank; free for use again after its wait
  std::uint32_t event = trace::kNone;       ///< where in the trace it comes from (stream 0 index)
  std::uint64_t bytes = 0;                  ///< collective: own contribution
  double seconds = 0;                       ///< kCompute, kCall
  std::uint32_t collective = trace::kNone;  ///< Program::collective()
};

enum class Pattern : std::uint8_t {
  kBarrier,
  kBroadcast,
  kReduce,
  kAllreduce,
  kGather,
  kScatter,
  kAllgather,
  kAlltoall,
  kReduceScatter,
  kScan
};

/// A communicator's collective: who takes part.
struct CollectiveStep {
  Pattern pattern = Pattern::kBarrier;
  std::uint32_t root = 0;                               ///< index into members
  const std::vector<std::uint32_t>* members = nullptr;  ///< ranks; lives as long as the program
  std::uint64_t bytes = 0;                              ///< of one member (mean where they differ)
};

/// A job as ranks that step. The engine asks each rank for its next step when the one before is
/// done, so that generated programs need no memory for steps.
class Program {
public:
  virtual ~Program() = default;
  virtual std::uint32_t ranks() const = 0;
  virtual std::uint32_t node_of(std::uint32_t rank) const = 0;
  /// When the rank begins, s; only differences between ranks matter.
  virtual double start_s(std::uint32_t /*rank*/) const { return 0; }
  /// How many ranks shared the rank's node when its computation took the time that it says; 0: it
  /// takes that time here, too.
  virtual std::uint32_t compute_shared_by(std::uint32_t /*rank*/) const { return 0; }
  /// How many events Step::event may name.
  virtual std::size_t events(std::uint32_t /*rank*/) const { return 0; }
  /// The rank's next step; kEnd for ever after the last.
  virtual Step next(std::uint32_t rank) = 0;
  virtual CollectiveStep collective(std::uint32_t index) const = 0;
  /// Starts again from the first step of every rank.
  virtual void rewind() = 0;
};

/// What a trace's program leaves out, or keeps as recorded.
struct LeftOut {
  std::uint64_t without_partner = 0;  ///< operations whose other side was not recorded
  std::uint64_t other_threads = 0;    ///< operations of which a side is not of a main thread
  std::uint64_t as_recorded = 0;      ///< calls that keep their recorded time: one-sided, files,
                                  ///< neighbourhoods, and those none of whose operations is left
};

struct TraceProgramOptions {
  std::vector<std::uint32_t> nodes;  ///< by rank; empty: as recorded
  bool subtract_overhead = false;    ///< computation less trace::Rank::overhead_ns_per_event
  LeftOut* left_out = nullptr;       ///< filled when the program is made
};

/// The main threads of a trace: computation between calls at its recorded length, matched messages,
/// wildcard receives with their recorded match; failed polls are no work (their time is waiting).
/// Ranks start where their record does (end of MPI_Init) and end at MPI_Finalize. What cannot be
/// replayed: docs/replay.md. On other nodes than recorded, computation counts as shared by the
/// ranks of the recorded node. The trace must outlive the program.
std::unique_ptr<Program> program_of(const trace::Trace& trace, const TraceProgramOptions& options);
std::unique_ptr<Program> program_of(const trace::Trace& trace,
                                    std::vector<std::uint32_t> nodes = {});

/// A halo exchange: `iterations` of computation and an exchange of faces on a grid of ranks (x
/// fastest), axis by axis (Stengel 2010, section 3.1.1: both directions of an axis at once).
struct HaloProgram {
  std::uint32_t parts[3] = {1, 1, 1};  ///< ranks along each axis
  bool periodic = false;
  std::uint32_t ranks_per_node = 1;         ///< nodes are filled in the order of ranks
  double compute_s = 0;                     ///< alone on a node (see Network::node_speedup)
  std::uint64_t face_bytes[3] = {0, 0, 0};  ///< across x, y, z
  std::uint32_t iterations = 10;
};
std::unique_ptr<Program> halo_program(const HaloProgram& of);

}  // namespace plait::replay
