// SPDX-License-Identifier: BSD-3-Clause
// What a trace tells about a run: efficiencies, causes of waiting, critical path, imbalance,
// phases, messages, patterns. Plain results; each part's header says how they come about.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "machine/measured.hpp"
#include "replay/network.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

/// Version of docs/schemas/analysis-1.schema.json.
inline constexpr int kAnalysisSchemaVersion = 1;

// Efficiencies (pop.hpp) ------------------------------------------------------------------------

/// One set of POP efficiencies by a named definition; each in [0, 1] unless the definition lets it
/// exceed 1. Absent: not defined here (no OpenMP, no replay).
struct PopSet {
  std::string definition;  ///< "multiplicative, replay", "multiplicative, wait states", "additive"
  std::optional<double> parallel, load_balance, communication, serialization, transfer;
  std::optional<double> mpi_parallel, openmp_parallel, openmp_load_balance, openmp_communication;
};

// Waiting (wait_states.hpp) ----------------------------------------------------------------------

enum class WaitKind : std::uint8_t {
  kLateSender,
  kLateReceiver,
  kBarrier,
  kNxN,
  kLateRoot,
  kEarlyRoot,
  kBeforeFirst,
  kOther
};
/// "late sender", "late receiver", "wait at barrier", "wait at NxN", "late root (broadcast)",
/// "early root (reduce)", "before the first call".
const char* to_string(WaitKind kind);

/// Waiting of one kind, at one site of the waiting ranks.
struct WaitState {
  WaitKind kind = WaitKind::kOther;
  std::uint32_t function = trace::kNone, site = trace::kNone;
  double seconds = 0;  ///< over all ranks
  std::uint64_t count = 0;
  int worst_rank = -1;  ///< which waited longest
  double worst_s = 0;
};

/// Who made others wait: a rank's computation (between two of its calls, or in a user region) that
/// took longer than that of those who waited, or a chain of messages.
struct RootCause {
  std::string kind;  ///< "computation", "serialization", "transfer", "late posted receive"
  int rank = -1;
  std::uint32_t region = trace::kNone;       ///< user region in which the delay arose; kNone: none
  std::uint32_t before_site = trace::kNone;  ///< of the call that ended the delaying computation
  double seconds = 0;                        ///< waiting of others that it caused (propagated)
  double own_excess_s = 0;   ///< how much longer it computed than the mean of the waiting
  std::vector<int> delayed;  ///< ranks, most delayed first, at most 8
};

// Critical path (critical_path.hpp) -------------------------------------------------------------

struct PathPart {
  int rank = 0;
  double begin_s = 0, end_s = 0;
  std::string kind;  ///< "computation", "mpi", "transfer"
  std::uint32_t region = trace::kNone, site = trace::kNone;
};
struct PathOwner {
  int rank = -1;
  std::uint32_t region = trace::kNone, site = trace::kNone;
  std::string kind;
  double seconds = 0;  ///< on the path
  double share = 0;
};
struct CriticalPath {
  double seconds = 0;
  std::vector<PathPart> parts;    ///< in time; at most 4096, the shortest merged
  std::vector<PathOwner> owners;  ///< longest first
};

// Imbalance (imbalance.hpp) ---------------------------------------------------------------------

/// Per rank: time in computation, in waiting that an ideal network leaves, in the interconnect.
struct ImbalanceRow {
  int rank = 0;
  double calculation_s = 0, imbalance_s = 0, interconnect_s = 0;
};
/// The same for one function and size class.
struct BreakdownCell {
  std::uint32_t function = trace::kNone;
  std::uint64_t from_bytes = 0, to_bytes = 0;  ///< [from, to)
  double imbalance_s = 0, interconnect_s = 0;
  std::uint64_t count = 0;
};
struct Imbalance {
  std::string network;  ///< of the replay: "ideal", and its rendezvous limit
  std::vector<ImbalanceRow> ranks;
  std::vector<std::uint64_t> class_limits;  ///< upper ends of the size classes, ascending
  std::string class_source;                 ///< "measured protocol switches", "ITAC's classes"
  std::vector<BreakdownCell> cells;         ///< of the three dearest functions
};

// Phases (phases.hpp) ---------------------------------------------------------------------------

struct Phase {
  std::string name;  ///< "before", "iterations 1", ...
  double begin_s = 0, end_s = 0;
  std::uint32_t repetitions = 1;       ///< of the pattern within the phase
  double mean_s = 0, cv = 0;           ///< of one repetition: mean, coefficient of variation
  std::uint64_t signature = 0;         ///< hash of the pattern: equal patterns are equal phases
  std::vector<std::uint32_t> pattern;  ///< functions of one repetition, at most 64
  PopSet efficiencies;                 ///< by wait states
};

// Messages (message_profile.hpp) ----------------------------------------------------------------

struct MessageClass {
  std::uint64_t from_bytes = 0, to_bytes = 0;
  std::uint64_t count = 0, bytes = 0;
  double seconds = 0;  ///< from the later of send and receive to the receive's end
  bool between_nodes = false;
  double rate = 0;       ///< bytes / s, median
  double path_rate = 0;  ///< measured for this path and size; 0: unknown
};
struct PairTraffic {
  int from = 0, to = 0;
  std::uint64_t count = 0, bytes = 0;
  double seconds = 0;
};
struct SlowTransfer {  ///< far below the path's measured speed
  int from = 0, to = 0;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  double rate = 0, path_rate = 0;
  std::uint32_t site = trace::kNone;
};
struct MessageProfile {
  std::uint64_t messages = 0, bytes = 0;
  std::vector<MessageClass> classes;
  std::vector<PairTraffic> pairs;  ///< heaviest first, at most 4096
  std::vector<SlowTransfer> slow;  ///< at most 32
};

// Patterns (patterns.hpp) -----------------------------------------------------------------------

/// Something that the tuning chapter warns of.
struct PatternFinding {
  std::string id;        ///< "any_source", "idle_barrier", "handmade_collective", "waitany_loop",
                         ///< "late_receive", "no_overlap", "packing", "small_messages", "chain"
  std::string what;      ///< one sentence: what was seen
  std::string evidence;  ///< numbers
  double cost_s = 0;     ///< what it costs a rank at most; 0: cannot be told
  std::string remedy;
  std::vector<int> ranks;
  std::vector<std::uint32_t> sites;
};

// All -------------------------------------------------------------------------------------------

struct Analysis {
  double time_s = 0;   ///< longest rank
  double ideal_s = 0;  ///< replayed on the ideal network
  std::uint64_t events = 0;
  std::vector<PopSet> efficiencies;
  std::vector<WaitState> waits;   ///< dearest first
  std::vector<double> waiting_s;  ///< by rank
  std::vector<RootCause> causes;  ///< dearest first
  CriticalPath critical_path;
  Imbalance imbalance;
  std::vector<Phase> phases;
  MessageProfile messages;
  std::vector<PatternFinding> patterns;
  std::vector<std::string> notes;  ///< what could not be told, and why
};

/// Everything about a trace. `measured` prices paths and protocol switches; null: those parts say
/// that no machine was measured. Linear in the events but for sorting; 10^7 events in 20 s.
Analysis analyze(const trace::Trace& trace, const machine::Measured* measured);

/// With names in place of the indices of functions, sites and regions (docs/schemas).
nlohmann::json to_json(const Analysis& analysis, const trace::Trace& trace);

}  // namespace plait::analysis
