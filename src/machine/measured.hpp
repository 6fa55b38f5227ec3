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

/// All that was measured on the pairs of cores that share the same kind of hardware.
struct Path {
  std::string id;  ///< as machine::path_between gives it, or "network"
  std::string name;
  std::vector<std::array<int, 2>> pairs;  ///< core ids of the pairs that were measured
  int pairs_total = 0;                    ///< how many pairs the node has of this kind
  std::vector<CurvePoint> mpi_pingpong;
  std::vector<PingPingPoint> mpi_pingping;
  std::vector<MultiPairPoint> mpi_multi_pair;
  std::vector<CurvePoint> mpi_pingpong_off_cache;
  std::optional<Statistic> bare_line_us;  ///< one way of a cache line between the two cores
  std::vector<MemcpyPoint> bare_memcpy;
  std::vector<PingPingPoint> bare_pingping;     ///< both cores hand over at once
  std::vector<MultiPairPoint> bare_multi_pair;  ///< bare memcpy on several pairs at once
  std::vector<PairResult> by_pair;              ///< the same pair by pair; may be left out
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
