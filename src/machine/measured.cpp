// SPDX-License-Identifier: BSD-3-Clause
// The measurements on a machine, to and from JSON.
#include "machine/measured.hpp"

#include <algorithm>
#include <iterator>

#include "base/json.hpp"
#include "machine/measured_text.hpp"

namespace plait::machine {
namespace {

template <typename T>
void put_if(nlohmann::json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}

template <typename T>
void get_if(const nlohmann::json& json, const char* name, std::optional<T>& value) {
  value.reset();
  const auto found = json.find(name);
  if (found != json.end() && !found->is_null()) value = found->get<T>();
}

template <typename T>
void put_unless_empty(nlohmann::json& json, const char* name, const std::vector<T>& values) {
  if (!values.empty()) json[name] = values;
}

template <typename T>
void get_or_default(const nlohmann::json& json, const char* name, T& value) {
  const auto found = json.find(name);
  value = found != json.end() ? found->get<T>() : T{};
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunMedian, median, ci_low, ci_high, n, left_out)

void to_json(nlohmann::json& json, const Statistic& value) {
  json = {{"min", value.min},         {"median", value.median}, {"ci_low", value.ci_low},
          {"ci_high", value.ci_high}, {"n", value.n},           {"samples", value.samples}};
  if (value.disturbed > 0) json["disturbed"] = value.disturbed;
  if (!value.unusable.empty()) json["unusable"] = value.unusable;
  put_unless_empty(json, "runs", value.runs);
}

void from_json(const nlohmann::json& json, Statistic& value) {
  json.at("min").get_to(value.min);
  json.at("median").get_to(value.median);
  json.at("ci_low").get_to(value.ci_low);
  json.at("ci_high").get_to(value.ci_high);
  json.at("n").get_to(value.n);
  get_or_default(json, "samples", value.samples);
  get_or_default(json, "disturbed", value.disturbed);
  get_or_default(json, "unusable", value.unusable);
  get_or_default(json, "runs", value.runs);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StreamResult, kernel, non_temporal, threads, array_bytes, gbs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JacobiResult, cores, grid, non_temporal, mlups)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PeakResult, isa, cores, gflops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HardwareThreads, work, cores, threads, one_per_core, all)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OpenMpCost, runtime, library, threads, start_us, region_us,
                                   barrier_us, task_us)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CurvePoint, bytes, half_round_trip_us, bandwidth_gbs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PingPingPoint, bytes, time_us, bandwidth_gbs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MultiPairPoint, pairs, bytes, bandwidth_gbs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemcpyPoint, bytes, one_way_us, bandwidth_gbs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Sentinel, kernel, unit, samples, median, spread, changed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MpiContext, library, launcher)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OverheadPoint, bytes, send_us, receive_us)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BackToBackPoint, bytes, messages, time_us)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EagerPoint, bytes, eager)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Estimate, value, low, high, measured)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LogGp, latency_s, overhead_s, gap_s, seconds_per_byte,
                                   overhead_per_byte_s, eager_limit)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProtocolSwitch, bytes, beyond, jump_us, seconds_per_byte_before,
                                   seconds_per_byte_after, kind)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AllToAllPoint, nodes, ranks_per_node, ranks_per_socket,
                                   placement, bytes, bandwidth_gbs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MixedVerdict, senders, protocol, rank0, overlaps, overlapped,
                                   low, high, points, undecided, reason, sentence)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CollectivePoint, operation, ranks, nodes, bytes, time_us)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InitPoint, ranks, time_us)

static void to_json(nlohmann::json& json, const OverlapPoint& value) {
  json = {{"path", value.path},
          {"operation", value.operation},
          {"protocol", value.protocol},
          {"bytes", value.bytes},
          {"work", value.work},
          {"work_us", value.work_us},
          {"alone_us", value.alone_us},
          {"total_us", value.total_us},
          {"setting", value.setting},
          {"work_range_us", value.work_range_us},
          {"alone_range_us", value.alone_range_us},
          {"disturbed", value.disturbed},
          {"threads", value.threads},
          {"sentinel_ns", value.sentinel_ns}};
}

static void from_json(const nlohmann::json& json, OverlapPoint& value) {
  json.at("path").get_to(value.path);
  json.at("operation").get_to(value.operation);
  json.at("protocol").get_to(value.protocol);
  json.at("bytes").get_to(value.bytes);
  json.at("work").get_to(value.work);
  json.at("work_us").get_to(value.work_us);
  json.at("alone_us").get_to(value.alone_us);
  json.at("total_us").get_to(value.total_us);
  json.at("setting").get_to(value.setting);
  get_or_default(json, "work_range_us", value.work_range_us);
  get_or_default(json, "alone_range_us", value.alone_range_us);
  get_or_default(json, "disturbed", value.disturbed);
  value.threads = json.value("threads", 1);
  get_or_default(json, "sentinel_ns", value.sentinel_ns);
}

static void to_json(nlohmann::json& json, const OverlapVerdict& value) {
  json = {{"path", value.path},
          {"protocol", value.protocol},
          {"setting", value.setting},
          {"progresses", value.progresses},
          {"overlapped", value.overlapped},
          {"sentence", value.sentence},
          {"low", value.low},
          {"high", value.high},
          {"points", value.points},
          {"undecided", value.undecided}};
  if (!value.reason.empty()) json["reason"] = value.reason;
}

static void from_json(const nlohmann::json& json, OverlapVerdict& value) {
  json.at("path").get_to(value.path);
  json.at("protocol").get_to(value.protocol);
  json.at("setting").get_to(value.setting);
  json.at("progresses").get_to(value.progresses);
  json.at("overlapped").get_to(value.overlapped);
  json.at("sentence").get_to(value.sentence);
  get_or_default(json, "low", value.low);
  value.high = json.value("high", 1.0);
  get_or_default(json, "points", value.points);
  get_or_default(json, "undecided", value.undecided);
  get_or_default(json, "reason", value.reason);
}

static void to_json(nlohmann::json& json, const MixedPoint& value) {
  json = {{"senders", value.senders},         {"protocol", value.protocol},
          {"intra_bytes", value.intra_bytes}, {"inter_bytes", value.inter_bytes},
          {"intra_us", value.intra_us},       {"inter_us", value.inter_us},
          {"both_us", value.both_us},         {"across_sockets", value.across_sockets}};
  if (!value.rank0.empty()) json["rank0"] = value.rank0;
}

static void from_json(const nlohmann::json& json, MixedPoint& value) {
  json.at("senders").get_to(value.senders);
  json.at("protocol").get_to(value.protocol);
  json.at("intra_bytes").get_to(value.intra_bytes);
  json.at("inter_bytes").get_to(value.inter_bytes);
  json.at("intra_us").get_to(value.intra_us);
  json.at("inter_us").get_to(value.inter_us);
  json.at("both_us").get_to(value.both_us);
  get_or_default(json, "rank0", value.rank0);
  get_or_default(json, "across_sockets", value.across_sockets);
}

static void to_json(nlohmann::json& json, const PairResult& value) {
  json = {{"pair", value.pair}, {"mpi_pingpong", value.mpi_pingpong}};
  put_if(json, "bare_line_us", value.bare_line_us);
}

static void from_json(const nlohmann::json& json, PairResult& value) {
  json.at("pair").get_to(value.pair);
  json.at("mpi_pingpong").get_to(value.mpi_pingpong);
  get_if(json, "bare_line_us", value.bare_line_us);
}

void to_json(nlohmann::json& json, const Path& value) {
  json = {{"id", value.id},
          {"name", value.name},
          {"pairs", value.pairs},
          {"pairs_total", value.pairs_total},
          {"mpi_pingpong", value.mpi_pingpong},
          {"mpi_pingping", value.mpi_pingping},
          {"mpi_multi_pair", value.mpi_multi_pair},
          {"mpi_pingpong_off_cache", value.mpi_pingpong_off_cache},
          {"bare_memcpy", value.bare_memcpy}};
  put_if(json, "bare_line_us", value.bare_line_us);
  put_unless_empty(json, "bare_pingping", value.bare_pingping);
  put_unless_empty(json, "bare_multi_pair", value.bare_multi_pair);
  put_unless_empty(json, "by_pair", value.by_pair);
  put_unless_empty(json, "mpi_multi_pair_pingping", value.mpi_multi_pair_pingping);
  put_unless_empty(json, "mpi_overheads", value.mpi_overheads);
  put_unless_empty(json, "mpi_back_to_back", value.mpi_back_to_back);
  put_unless_empty(json, "mpi_eager", value.mpi_eager);
  put_if(json, "loggp", value.loggp);
  put_unless_empty(json, "switches", value.switches);
}

void from_json(const nlohmann::json& json, Path& value) {
  json.at("id").get_to(value.id);
  json.at("name").get_to(value.name);
  json.at("pairs").get_to(value.pairs);
  json.at("pairs_total").get_to(value.pairs_total);
  get_or_default(json, "mpi_pingpong", value.mpi_pingpong);
  get_or_default(json, "mpi_pingping", value.mpi_pingping);
  get_or_default(json, "mpi_multi_pair", value.mpi_multi_pair);
  get_or_default(json, "mpi_pingpong_off_cache", value.mpi_pingpong_off_cache);
  get_or_default(json, "bare_memcpy", value.bare_memcpy);
  get_if(json, "bare_line_us", value.bare_line_us);
  get_or_default(json, "bare_pingping", value.bare_pingping);
  get_or_default(json, "bare_multi_pair", value.bare_multi_pair);
  get_or_default(json, "by_pair", value.by_pair);
  get_or_default(json, "mpi_multi_pair_pingping", value.mpi_multi_pair_pingping);
  get_or_default(json, "mpi_overheads", value.mpi_overheads);
  get_or_default(json, "mpi_back_to_back", value.mpi_back_to_back);
  get_or_default(json, "mpi_eager", value.mpi_eager);
  get_if(json, "loggp", value.loggp);
  get_or_default(json, "switches", value.switches);
}

std::vector<CurvePoint> usable_points(const std::vector<CurvePoint>& curve) {
  std::vector<CurvePoint> points;
  std::ranges::copy_if(curve, std::back_inserter(points),
                       [](const CurvePoint& point) { return point.half_round_trip_us.usable(); });
  return points;
}

double bandwidth_gbs(double bytes, double time_us) {
  return time_us > 0 ? bytes / time_us * 1e-3 : 0;
}

std::optional<double> jacobi_limit_mlups(const Measured& measured, const JacobiResult& jacobi) {
  constexpr double bytes_per_update = 16;
  for (const StreamResult& stream : measured.stream) {
    if (stream.kernel == "copy" && stream.threads == jacobi.cores &&
        stream.non_temporal == jacobi.non_temporal && stream.gbs.usable() &&
        stream.gbs.median > 0) {
      return stream.gbs.median * 1e3 / bytes_per_update;
    }
  }
  return std::nullopt;
}

void to_json(nlohmann::json& json, const Measured& value) {
  json = {{"quick", value.quick},
          {"duration_s", value.duration_s},
          {"stream", value.stream},
          {"jacobi", value.jacobi},
          {"paths", value.paths}};
  for (std::size_t i = 0; i < value.jacobi.size(); ++i) {
    put_if(json["jacobi"][i], "limit_mlups", jacobi_limit_mlups(value, value.jacobi[i]));
  }
  if (value.runs > 1) json["runs"] = value.runs;
  if (value.waited_for_cpu > 0) json["waited_for_cpu"] = value.waited_for_cpu;
  put_unless_empty(json, "anomalies", value.anomalies);
  put_unless_empty(json, "peak", value.peak);
  put_unless_empty(json, "hardware_threads", value.hardware_threads);
  put_unless_empty(json, "openmp", value.openmp);
  put_if(json, "mpi", value.mpi);
  put_if(json, "sentinel", value.sentinel);
  if (!value.source.empty()) json["source"] = value.source;
  put_unless_empty(json, "all_to_all", value.all_to_all);
  put_unless_empty(json, "overlap", value.overlap);
  put_unless_empty(json, "overlap_verdicts", value.overlap_verdicts);
  const std::string headline = overlap_headline(value);
  if (!headline.empty()) json["overlap_headline"] = headline;
  put_unless_empty(json, "mixed", value.mixed);
  put_unless_empty(json, "mixed_verdicts", value.mixed_verdicts);
  put_unless_empty(json, "collectives", value.collectives);
  put_unless_empty(json, "mpi_init", value.mpi_init);
}

void from_json(const nlohmann::json& json, Measured& value) {
  json.at("quick").get_to(value.quick);
  json.at("duration_s").get_to(value.duration_s);
  value.runs = json.value("runs", 1);
  get_or_default(json, "waited_for_cpu", value.waited_for_cpu);
  get_or_default(json, "anomalies", value.anomalies);
  get_or_default(json, "source", value.source);
  get_or_default(json, "peak", value.peak);
  get_or_default(json, "hardware_threads", value.hardware_threads);
  get_or_default(json, "openmp", value.openmp);
  get_if(json, "mpi", value.mpi);
  get_if(json, "sentinel", value.sentinel);
  json.at("stream").get_to(value.stream);
  json.at("jacobi").get_to(value.jacobi);
  json.at("paths").get_to(value.paths);
  get_or_default(json, "all_to_all", value.all_to_all);
  get_or_default(json, "overlap", value.overlap);
  get_or_default(json, "overlap_verdicts", value.overlap_verdicts);
  get_or_default(json, "mixed", value.mixed);
  get_or_default(json, "mixed_verdicts", value.mixed_verdicts);
  get_or_default(json, "collectives", value.collectives);
  get_or_default(json, "mpi_init", value.mpi_init);
}

}  // namespace plait::machine
