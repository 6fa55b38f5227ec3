// SPDX-License-Identifier: BSD-3-Clause
// The measurements on a machine: the plain data of the "measured" part of a machine file.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace plait::machine {

/// The result of one of several measurements of the same quantity.
struct RunMedian {
  double median = 0;
  double ci_low = 0;
  double ci_high = 0;
  int n = 0;              ///< its samples
  bool left_out = false;  ///< an outlier among three or more measurements
  friend bool operator==(const RunMedian&, const RunMedian&) = default;
};

/// A measured quantity as a distribution; its unit is in the name of the member that holds it.
struct Statistic {
  double min = 0;
  double median = 0;
  double ci_low = 0;  ///< confidence interval of the median
  double ci_high = 0;
  int n = 0;                    ///< number of samples
  std::vector<double> samples;  ///< raw, in the order of measurement; optional
  /// Samples during which a thread waited for a CPU. They are used only where there are
  /// no others.
  int disturbed = 0;
  std::string unusable = {};         ///< why nothing may be computed from it; empty: usable
  std::vector<RunMedian> runs = {};  ///< of several measurements, oldest first; else empty
  friend bool operator==(const Statistic&, const Statistic&) = default;

  [[nodiscard]] bool usable() const { return unusable.empty(); }
  /// Half of the interval, relative to the median.
  [[nodiscard]] double half_width() const {
    return median > 0 ? (ci_high - ci_low) / 2 / median : 0;
  }
};

/// Memory bandwidth of one STREAM kernel.
struct StreamResult {
  std::string kernel;  ///< copy, scale, add, triad
  bool non_temporal = false;
  int threads = 1;
  std::uint64_t array_bytes = 0;  ///< of one array
  Statistic gbs;
  friend bool operator==(const StreamResult&, const StreamResult&) = default;
};

/// P(k): the speed of the 6-point Jacobi kernel on k cores.
struct JacobiResult {
  int cores = 1;
  std::array<int, 3> grid{};
  bool non_temporal = false;
  Statistic mlups;
  friend bool operator==(const JacobiResult&, const JacobiResult&) = default;
};

/// Peak floating-point speed: independent double-precision multiply-adds in registers.
struct PeakResult {
  std::string isa;  ///< "AVX2": the vector instructions that were used
  int cores = 1;    ///< that compute at the same time
  Statistic gflops;
  friend bool operator==(const PeakResult&, const PeakResult&) = default;
};

/// What the second hardware thread of a core gains: the speed with one thread per core and with one
/// on each hardware thread.
struct HardwareThreads {
  std::string work;  ///< "memory": STREAM triad in GB/s; "compute": multiply-adds in GFLOP/s
  int cores = 1;
  int threads = 2;  ///< hardware threads of these cores
  Statistic one_per_core;
  Statistic all;
  friend bool operator==(const HardwareThreads&, const HardwareThreads&) = default;
};

/// The cost of OpenMP constructs without work in them (Stengel 2010, section 5.2).
struct OpenMpCost {
  std::string runtime;  ///< "libgomp"
  std::string library;  ///< its path
  int threads = 2;      ///< each on a core of its own
  Statistic start_us;   ///< the first parallel region, which starts the threads
  Statistic region_us;  ///< a parallel region
  Statistic barrier_us;
  Statistic task_us;  ///< one thread creates tasks, all run them
  friend bool operator==(const OpenMpCost&, const OpenMpCost&) = default;
};

/// Ping-pong at one message size.
struct CurvePoint {
  std::uint64_t bytes = 0;
  Statistic half_round_trip_us;
  double bandwidth_gbs = 0;  ///< bytes / median; 0 for 0 bytes
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// Ping-ping (both sides send at once) at one message size.
struct PingPingPoint {
  std::uint64_t bytes = 0;
  Statistic time_us;         ///< of one exchange
  double bandwidth_gbs = 0;  ///< of one direction
  friend bool operator==(const PingPingPoint&, const PingPingPoint&) = default;
};

/// Several pairs that run ping-pong (or ping-ping) at once.
struct MultiPairPoint {
  int pairs = 1;
  std::uint64_t bytes = 0;
  Statistic bandwidth_gbs;  ///< summed over the pairs
  friend bool operator==(const MultiPairPoint&, const MultiPairPoint&) = default;
};

/// A bare memcpy from one core's buffer to the other's.
struct MemcpyPoint {
  std::uint64_t bytes = 0;
  Statistic one_way_us;
  double bandwidth_gbs = 0;
  friend bool operator==(const MemcpyPoint&, const MemcpyPoint&) = default;
};

/// The measurements between the two cores of one pair.
struct PairResult {
  std::array<int, 2> pair{};
  std::vector<CurvePoint> mpi_pingpong;
  std::optional<Statistic> bare_line_us;
  friend bool operator==(const PairResult&, const PairResult&) = default;
};

/// The CPU time of a message, without its time in transit.
struct OverheadPoint {
  std::uint64_t bytes = 0;
  Statistic send_us;     ///< inside the call that starts an eager send: o of the sender
  Statistic receive_us;  ///< inside the receive of a message that has already arrived
  friend bool operator==(const OverheadPoint&, const OverheadPoint&) = default;
};

/// Consecutive messages of one size in one direction, without an answer between them.
struct BackToBackPoint {
  std::uint64_t bytes = 0;
  int messages = 1;   ///< sent before the receiver answers once
  Statistic time_us;  ///< per message: total less one way of the answer, divided by `messages`
  friend bool operator==(const BackToBackPoint&, const BackToBackPoint&) = default;
};

/// A message size, and whether such a message leaves its sender before its receive is posted.
struct EagerPoint {
  std::uint64_t bytes = 0;
  bool eager = false;
  friend bool operator==(const EagerPoint&, const EagerPoint&) = default;
};

/// A fitted parameter with its confidence interval; its unit is in the name of the member.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  bool measured =
      true;  ///< false: inferred, or a bound (docs/explanation/messages.md names the rules)
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// LogGP (Alexandrov et al. 1995) with a CPU time per byte (LogGOPS, Hoefler et al. 2010): a single
/// message of n bytes takes o + n O + L + n G + n O + o. This is true of eager and rendezvous
/// messages, apart from the jumps at protocol switches.
struct LogGp {
  Estimate latency_s;             ///< L
  Estimate overhead_s;            ///< o, the mean of both sides
  Estimate gap_s;                 ///< g, between messages of one pair; at least o
  Estimate seconds_per_byte;      ///< G, of long messages
  Estimate overhead_per_byte_s;   ///< O, of eager messages, the mean of both sides
  std::uint64_t eager_limit = 0;  ///< longest message that was eager; 0: unknown
  friend bool operator==(const LogGp&, const LogGp&) = default;
};

/// A message size at which the cost of a message jumps or changes its slope because MPI switches to
/// another protocol.
struct ProtocolSwitch {
  std::uint64_t bytes = 0;   ///< longest measured message before it
  std::uint64_t beyond = 0;  ///< shortest measured message after it
  double jump_us = 0;        ///< of the one-way time, apart from the slope; may be negative
  double seconds_per_byte_before = 0;
  double seconds_per_byte_after = 0;
  std::string kind;  ///< "eager_to_rendezvous" or "unnamed"
  friend bool operator==(const ProtocolSwitch&, const ProtocolSwitch&) = default;
};

/// The measurements on all pairs of cores that share the same kind of hardware.
struct Path {
  std::string id;  ///< as machine::path_between returns it, or "network"
  std::string name;
  /// Measured pairs of core ids; for "network": of nodes, numbered from 0.
  std::vector<std::array<int, 2>> pairs;
  int pairs_total = 0;  ///< number of pairs of this kind in the node
  std::vector<CurvePoint> mpi_pingpong;
  std::vector<PingPingPoint> mpi_pingping;
  std::vector<MultiPairPoint> mpi_multi_pair;
  std::vector<CurvePoint> mpi_pingpong_off_cache;
  std::optional<Statistic> bare_line_us;  ///< one way of a cache line between two cores
  std::vector<MemcpyPoint> bare_memcpy;
  std::vector<PingPingPoint> bare_pingping;             ///< both cores transfer at once
  std::vector<MultiPairPoint> bare_multi_pair;          ///< bare memcpy on several pairs at once
  std::vector<PairResult> by_pair;                      ///< the same for each pair; optional
  std::vector<MultiPairPoint> mpi_multi_pair_pingping;  ///< one direction, summed over pairs
  std::vector<OverheadPoint> mpi_overheads;
  std::vector<BackToBackPoint> mpi_back_to_back;
  std::vector<EagerPoint> mpi_eager;
  std::optional<LogGp> loggp;            ///< fitted to the measurements (model/loggp.hpp)
  std::vector<ProtocolSwitch> switches;  ///< by ascending size (model/loggp.hpp)
  friend bool operator==(const Path&, const Path&) = default;
};

/// A kernel of fixed work that runs between the measurements and shows whether the speed of the
/// machine changed.
struct Sentinel {
  std::string kernel;
  std::string unit;
  std::vector<double> samples;
  double median = 0;
  double spread = 0;     ///< (highest - lowest) / median
  bool changed = false;  ///< by so much that the measurements are not comparable
  friend bool operator==(const Sentinel&, const Sentinel&) = default;
};

/// The MPI with which messages were measured.
struct MpiContext {
  std::string library;
  std::string launcher;
  friend bool operator==(const MpiContext&, const MpiContext&) = default;
};

/// All-to-all by processes per node (Jost and Robins 2010, figures 8 and 9).
struct AllToAllPoint {
  int nodes = 1;
  int ranks_per_node = 1;
  int ranks_per_socket = 1;  ///< on the fullest socket
  std::string placement;    ///< "packed": sockets are filled one by one; "spread": over all sockets
  std::uint64_t bytes = 0;  ///< to each partner
  Statistic bandwidth_gbs;  ///< sent by one process: (ranks - 1) x bytes over the time
  friend bool operator==(const AllToAllPoint&, const AllToAllPoint&) = default;
};

/// A message during a computation (Stengel 2010, listing 3.1, figure 3.5).
struct OverlapPoint {
  std::string path;         ///< Path::id
  std::string operation;    ///< "isend" or "irecv": the call that the computing process made
  std::string protocol;     ///< "eager" or "rendezvous", for messages of this size on this path
  std::uint64_t bytes = 0;  ///< of the message
  std::string work;         ///< "compute" or "memory": what limits the computation
  double work_us = 0;       ///< median of the computation alone
  double alone_us = 0;      ///< median of the message alone, including its wait
  Statistic total_us;       ///< of both, from the start of the message to the end of the wait
  std::string setting;      ///< of the MPI or program, as a user types it; empty: the default
  std::array<double, 2> work_range_us{};   ///< interval of work_us; {0, 0}: unknown
  std::array<double, 2> alone_range_us{};  ///< interval of alone_us; {0, 0}: unknown
  int disturbed = 0;       ///< samples of the three during which a rank waited for a CPU
  int threads = 1;         ///< that worked
  double sentinel_ns = 0;  ///< the sentinel before the measurement; 0: unknown
  friend bool operator==(const OverlapPoint&, const OverlapPoint&) = default;
};

/// The result over all points of one path, protocol and setting (model/overlap_verdict.hpp).
struct OverlapVerdict {
  std::string path;
  std::string protocol;
  std::string setting;      ///< empty: the default
  bool progresses = false;  ///< messages move while the program computes, in both operations
  double overlapped = 0;    ///< fraction of the shorter of message and work that was hidden, 0..1
  std::string sentence;     ///< "Open MPI 4.1.4 does not move long messages while ..."
  double low = 0;           ///< interval of `overlapped`
  double high = 1;
  int points = 0;           ///< quiet measurements behind it, of the operation with the fewest
  bool undecided = false;   ///< then `progresses` is false and means nothing
  std::string reason = {};  ///< why it is undecided
  friend bool operator==(const OverlapVerdict&, const OverlapVerdict&) = default;
};

/// A message inside a node at the same time as one between nodes (Stengel 2010, listing 3.2,
/// figure 3.6).
struct MixedPoint {
  int senders = 2;       ///< 1: one process sends both; 2: each message has its own sender
  std::string protocol;  ///< "eager" or "rendezvous", of the message between nodes
  std::uint64_t intra_bytes = 0;
  std::uint64_t inter_bytes = 0;
  Statistic intra_us;  ///< alone
  Statistic inter_us;  ///< alone
  Statistic both_us;   ///< started together, until both have completed
  /// The part of rank 0: "both" (it sends both), "inside", "between" or "none"; empty: unknown.
  std::string rank0 = {};
  bool across_sockets = false;  ///< the message inside the node goes to another socket
  friend bool operator==(const MixedPoint&, const MixedPoint&) = default;
};

/// True if messages inside a node overlap with those between nodes, under one of the conditions of
/// Stengel 2010, section 3.3 (model/mixed_verdict.hpp).
struct MixedVerdict {
  int senders = 2;
  std::string protocol;  ///< of the message between nodes
  std::string rank0;     ///< as in MixedPoint
  bool overlaps = false;
  double overlapped = 0;  ///< fraction of the shorter message that was hidden, 0..1
  double low = 0;
  double high = 1;
  int points = 0;
  bool undecided = false;  ///< then `overlaps` is false and means nothing
  std::string reason;      ///< why it is undecided
  std::string sentence;
  friend bool operator==(const MixedVerdict&, const MixedVerdict&) = default;
};

/// A collective operation of all ranks.
struct CollectivePoint {
  std::string operation;  ///< the MPI function without its prefix: "allreduce", "bcast", "barrier"
  int ranks = 1;
  int nodes = 1;
  std::uint64_t bytes = 0;  ///< contributed by a rank (bcast: received); 0 for a barrier
  Statistic time_us;        ///< until the last rank has returned
  friend bool operator==(const CollectivePoint&, const CollectivePoint&) = default;
};

/// The time of MPI_Init of one node's ranks.
struct InitPoint {
  int ranks = 1;
  Statistic time_us;  ///< of the slowest rank
  friend bool operator==(const InitPoint&, const InitPoint&) = default;
};

/// All measurements on one machine.
struct Measured {
  bool quick = false;
  double duration_s = 0;
  int runs = 1;  ///< measurements that were merged (merge_measured.hpp)
  /// The fraction of their time that the measured threads and ranks waited for a CPU.
  double waited_for_cpu = 0;
  std::vector<std::string> anomalies;  ///< figures that are odd but reliable, as sentences
  std::string source;  ///< of figures that Plait did not measure (a paper); else empty
  std::optional<MpiContext> mpi;
  std::optional<Sentinel> sentinel;
  std::vector<StreamResult> stream;
  std::vector<JacobiResult> jacobi;
  std::vector<PeakResult> peak;
  std::vector<HardwareThreads> hardware_threads;  ///< empty if cores have only one
  std::vector<OpenMpCost> openmp;
  std::vector<Path> paths;
  std::vector<AllToAllPoint> all_to_all;
  std::vector<OverlapPoint> overlap;
  std::vector<OverlapVerdict> overlap_verdicts;
  std::vector<MixedPoint> mixed;
  std::vector<MixedVerdict> mixed_verdicts;
  std::vector<CollectivePoint> collectives;
  std::vector<InitPoint> mpi_init;
  friend bool operator==(const Measured&, const Measured&) = default;
};

/// The usable points of a curve, in their order.
std::vector<CurvePoint> usable_points(const std::vector<CurvePoint>& curve);

/// The bandwidth in GB/s; 0 if the time is 0.
double bandwidth_gbs(double bytes, double time_us);

/// The upper bound that memory bandwidth sets for the Jacobi kernel, in MLUP/s. A site update moves
/// two words, like an element of STREAM copy (Stengel 2010, equation 2.3: code balance 1/3 W/F at 6
/// flops), so P(k) <= b_copy(k) / 16 B, with copy on the same number of threads and with the same
/// kind of stores. Empty when that was not measured. "limit_mlups" in the machine file.
std::optional<double> jacobi_limit_mlups(const Measured& measured, const JacobiResult& jacobi);

void to_json(nlohmann::json& json, const Statistic& value);
void from_json(const nlohmann::json& json, Statistic& value);
void to_json(nlohmann::json& json, const Path& value);
void from_json(const nlohmann::json& json, Path& value);
void to_json(nlohmann::json& json, const Measured& value);
void from_json(const nlohmann::json& json, Measured& value);

}  // namespace plait::machine
