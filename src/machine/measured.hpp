// SPDX-License-Identifier: BSD-3-Clause
// What was measured on a machine: the plain data of the "measured" part of a machine file.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace plait::machine {

/// A measured quantity as a distribution; its unit stands in the name of the member that holds it.
struct Statistic {
  double min = 0;
  double median = 0;
  double ci_low = 0;  ///< confidence interval of the median
  double ci_high = 0;
  int n = 0;                    ///< how many samples there were
  std::vector<double> samples;  ///< raw, in the order of measurement; may be left out
  friend bool operator==(const Statistic&, const Statistic&) = default;
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

/// P(k): speed of the 6-point Jacobi kernel on k cores.
struct JacobiResult {
  int cores = 1;
  std::array<int, 3> grid{};
  bool non_temporal = false;
  Statistic mlups;
  friend bool operator==(const JacobiResult&, const JacobiResult&) = default;
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

/// Several pairs that ping-pong at once.
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

/// What was measured between the two cores of one pair.
struct PairResult {
  std::array<int, 2> pair{};
  std::vector<CurvePoint> mpi_pingpong;
  std::optional<Statistic> bare_line_us;
  friend bool operator==(const PairResult&, const PairResult&) = default;
};

/// What a message costs a processor, its time on the way apart.
struct OverheadPoint {
  std::uint64_t bytes = 0;
  Statistic send_us;     ///< inside the call that starts an eager send: o of the sender
  Statistic receive_us;  ///< inside the receive of a message that has long been there
  friend bool operator==(const OverheadPoint&, const OverheadPoint&) = default;
};

/// Messages of one size, one behind the other in one direction, without an answer.
struct BackToBackPoint {
  std::uint64_t bytes = 0;
  int messages = 1;   ///< that follow each other before the receiver answers once
  Statistic time_us;  ///< of one message: that of all, less one way of the answer, over `messages`
  friend bool operator==(const BackToBackPoint&, const BackToBackPoint&) = default;
};

/// Whether a message leaves its sender before its receive is posted.
struct EagerPoint {
  std::uint64_t bytes = 0;
  bool eager = false;
  friend bool operator==(const EagerPoint&, const EagerPoint&) = default;
};

/// A fitted parameter with its confidence interval; its unit stands in the member's name.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  bool measured = true;  ///< false: inferred, or a bound (docs/measure.md names the rules)
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// LogGP (Alexandrov et al. 1995) with a processor's time by byte (LogGOPS, Hoefler et al. 2010):
/// a message of n bytes alone takes o + n O + L + n G + n O + o; eager and rendezvous messages
/// alike, the switches' jumps apart.
struct LogGp {
  Estimate latency_s;             ///< L
  Estimate overhead_s;            ///< o, the mean of both sides
  Estimate gap_s;                 ///< g, between messages of one pair; at least o
  Estimate seconds_per_byte;      ///< G, of long messages
  Estimate overhead_per_byte_s;   ///< O, of eager messages, the mean of both sides
  std::uint64_t eager_limit = 0;  ///< longest message that was eager; 0: not known
  friend bool operator==(const LogGp&, const LogGp&) = default;
};

/// Where the cost of a message jumps or changes its slope: another protocol of the MPI begins.
struct ProtocolSwitch {
  std::uint64_t bytes = 0;   ///< longest measured message before it
  std::uint64_t beyond = 0;  ///< shortest measured message after it
  double jump_us = 0;        ///< of the one-way time, after the slope; may be negative
  double seconds_per_byte_before = 0;
  double seconds_per_byte_after = 0;
  std::string kind;  ///< "eager_to_rendezvous" or "unnamed"
  friend bool operator==(const ProtocolSwitch&, const ProtocolSwitch&) = default;
};

/// All that was measured on the pairs of cores that share the same kind of hardware.
struct Path {
  std::string id;  ///< as machine::path_between gives it, or "network"
  std::string name;
  std::vector<std::array<int, 2>>
      pairs;            ///< measured pairs of core ids; "network": of nodes, from 0
  int pairs_total = 0;  ///< how many pairs the node has of this kind
  std::vector<CurvePoint> mpi_pingpong;
  std::vector<PingPingPoint> mpi_pingping;
  std::vector<MultiPairPoint> mpi_multi_pair;
  std::vector<CurvePoint> mpi_pingpong_off_cache;
  std::optional<Statistic> bare_line_us;  ///< one way of a cache line between the two cores
  std::vector<MemcpyPoint> bare_memcpy;
  std::vector<PingPingPoint> bare_pingping;             ///< both cores hand over at once
  std::vector<MultiPairPoint> bare_multi_pair;          ///< bare memcpy on several pairs at once
  std::vector<PairResult> by_pair;                      ///< the same pair by pair; may be left out
  std::vector<MultiPairPoint> mpi_multi_pair_pingping;  ///< of one direction, summed over pairs
  std::vector<OverheadPoint> mpi_overheads;
  std::vector<BackToBackPoint> mpi_back_to_back;
  std::vector<EagerPoint> mpi_eager;
  std::optional<LogGp> loggp;            ///< fitted to the above (model/loggp.hpp)
  std::vector<ProtocolSwitch> switches;  ///< ascending bytes (model/loggp.hpp)
  friend bool operator==(const Path&, const Path&) = default;
};

/// A kernel of fixed work, run between the others, that shows whether the machine's speed changed.
struct Sentinel {
  std::string kernel;
  std::string unit;
  std::vector<double> samples;
  double median = 0;
  double spread = 0;     ///< (highest - lowest) / median
  bool changed = false;  ///< the spread is too large for the other figures to be comparable
  friend bool operator==(const Sentinel&, const Sentinel&) = default;
};

/// The MPI that carried the messages.
struct MpiContext {
  std::string library;
  std::string launcher;
  friend bool operator==(const MpiContext&, const MpiContext&) = default;
};

/// All-to-all by processes a node (Jost and Robins 2010, figures 8 and 9).
struct AllToAllPoint {
  int nodes = 1;
  int ranks_per_node = 1;
  int ranks_per_socket = 1;  ///< of the fullest socket
  std::string placement;     ///< "packed": sockets filled one by one; "spread": over all of them
  std::uint64_t bytes = 0;   ///< to each partner
  Statistic bandwidth_gbs;   ///< sent by one process: (ranks - 1) x bytes over the time
  friend bool operator==(const AllToAllPoint&, const AllToAllPoint&) = default;
};

/// A message beside a computation (Stengel 2010, listing 3.1, figure 3.5).
struct OverlapPoint {
  std::string path;         ///< Path::id
  std::string operation;    ///< "isend" or "irecv": what the computing process has begun
  std::string protocol;     ///< "eager" or "rendezvous", of a message of this size on this path
  std::uint64_t bytes = 0;  ///< of the message
  std::string work;         ///< "compute" or "memory": what limits the computation
  double work_us = 0;       ///< median of the computation alone
  double alone_us = 0;      ///< median of the message alone, with its wait
  Statistic total_us;       ///< of both, from the start of the message to the end of the wait
  std::string setting;      ///< of the MPI or program, as one types it; empty: the default
  friend bool operator==(const OverlapPoint&, const OverlapPoint&) = default;
};

/// What the points of one path, protocol and setting say together (model/overlap_verdict.hpp).
struct OverlapVerdict {
  std::string path;
  std::string protocol;
  std::string setting;      ///< empty: the default
  bool progresses = false;  ///< messages move while the program computes, in both operations
  double overlapped = 0;    ///< part of the shorter of message and work that was hidden, 0..1
  std::string sentence;     ///< "Open MPI 4.1.4 does not move long messages while ..."
  friend bool operator==(const OverlapVerdict&, const OverlapVerdict&) = default;
};

/// A message inside the node beside one between nodes (Stengel 2010, listing 3.2, figure 3.6).
struct MixedPoint {
  int senders = 2;       ///< 1: one process sends both; 2: one each
  std::string protocol;  ///< "eager" or "rendezvous", of the message between nodes
  std::uint64_t intra_bytes = 0;
  std::uint64_t inter_bytes = 0;
  Statistic intra_us;  ///< alone
  Statistic inter_us;  ///< alone
  Statistic both_us;   ///< begun together, until both have ended
  friend bool operator==(const MixedPoint&, const MixedPoint&) = default;
};

/// A collective operation of all ranks.
struct CollectivePoint {
  std::string operation;  ///< as in MPI without its prefix: "allreduce", "bcast", "barrier"
  int ranks = 1;
  int nodes = 1;
  std::uint64_t bytes = 0;  ///< that a rank gives (bcast: that it gets); 0 for a barrier
  Statistic time_us;        ///< until the last rank has left
  friend bool operator==(const CollectivePoint&, const CollectivePoint&) = default;
};

/// Everything that was measured on one machine.
struct Measured {
  bool quick = false;
  double duration_s = 0;
  std::string source;  ///< of figures that Plait did not measure (a paper); else empty
  std::optional<MpiContext> mpi;
  std::optional<Sentinel> sentinel;
  std::vector<StreamResult> stream;
  std::vector<JacobiResult> jacobi;
  std::vector<Path> paths;
  std::vector<AllToAllPoint> all_to_all;
  std::vector<OverlapPoint> overlap;
  std::vector<OverlapVerdict> overlap_verdicts;
  std::vector<MixedPoint> mixed;
  std::vector<CollectivePoint> collectives;
  friend bool operator==(const Measured&, const Measured&) = default;
};

/// The speed that memory allows the Jacobi kernel, MLUP/s: a site update moves two words, as an
/// element of STREAM copy does (Stengel 2010, equation 2.3: code balance 1/3 W/F at 6 flops), so
/// P(k) <= b_copy(k) / 16 B, with copy on as many threads and with the same stores. Empty when that
/// was not measured. The machine file holds it beside P(k) as "limit_mlups".
std::optional<double> jacobi_limit_mlups(const Measured& measured, const JacobiResult& jacobi);

void to_json(nlohmann::json& json, const Statistic& value);
void from_json(const nlohmann::json& json, Statistic& value);
void to_json(nlohmann::json& json, const Path& value);
void from_json(const nlohmann::json& json, Path& value);
void to_json(nlohmann::json& json, const Measured& value);
void from_json(const nlohmann::json& json, Measured& value);

}  // namespace plait::machine
