// SPDX-License-Identifier: BSD-3-Clause
// Fits LogGP parameters and protocol switches to the measurements on a path.
#include "model/loggp.hpp"

#include <algorithm>
#include <utility>

#include "model/mixed_verdict.hpp"
#include "model/overlap_verdict.hpp"

namespace plait::model {
namespace {

using machine::Estimate;
using machine::LogGp;
using machine::OverheadPoint;
using machine::Path;
using machine::ProtocolSwitch;
using machine::Statistic;

constexpr std::size_t kFewestSizes = 8;
constexpr double kMicro = 1e-6;

/// The standard error: the 95 % interval of a median spans 1.96 standard errors on either side.
double standard_error(const Statistic& value) {
  return std::max(0.0, value.ci_high - value.ci_low) / 2 / 1.96;
}

std::vector<CurveSample> pingpong_samples(const Path& path) {
  std::vector<CurveSample> samples;
  for (const machine::CurvePoint& point : path.mpi_pingpong) {
    const Statistic& time = point.half_round_trip_us;
    if (time.median <= 0 || !time.usable()) continue;
    samples.push_back({static_cast<double>(point.bytes), time.median, standard_error(time)});
  }
  std::ranges::sort(samples, {}, &CurveSample::x);
  if (samples.size() < kFewestSizes) samples.clear();
  return samples;
}

Estimate estimate(double value, double half_width, bool measured) {
  return {value, std::max(0.0, value - half_width), value + half_width, measured};
}

Estimate in_seconds(const Statistic& us) {
  const double low = us.ci_low > 0 ? std::min(us.ci_low, us.median) : us.median;
  return {us.median * kMicro, low * kMicro, std::max(us.ci_high, us.median) * kMicro, true};
}

bool usable(const OverheadPoint& point) {
  return point.send_us.usable() && point.receive_us.usable();
}

template <typename Point>
bool usable(const Point& point) {
  return point.time_us.usable();
}

/// The usable point of the smallest size; null if there is none.
template <typename Point>
const Point* least(const std::vector<Point>& points) {
  const Point* found = nullptr;
  for (const Point& point : points) {
    if (usable(point) && (found == nullptr || point.bytes < found->bytes)) found = &point;
  }
  return found;
}

double jump_us(const Segment& before, const Segment& after, double last_before, double next) {
  const double jump = after.at(last_before) - before.at(last_before);
  const bool meets_in_gap = jump < 0 && after.at(next) >= before.at(next);
  return meets_in_gap ? 0 : jump;
}

/// The observed protocols: the longest size up to which all messages were eager, and the shortest
/// that was not. 0: none.
struct SeenEager {
  std::uint64_t longest = 0;
  std::uint64_t first_rendezvous = 0;
};

SeenEager seen_eager(const Path& path) {
  SeenEager seen;
  for (const machine::EagerPoint& point : path.mpi_eager) {
    const bool shorter = seen.first_rendezvous == 0 || point.bytes < seen.first_rendezvous;
    if (!point.eager && shorter) seen.first_rendezvous = point.bytes;
  }
  for (const machine::EagerPoint& point : path.mpi_eager) {
    if (seen.first_rendezvous > 0 && point.bytes >= seen.first_rendezvous) continue;
    seen.longest = std::max(seen.longest, point.bytes);
  }
  return seen;
}

/// The switch at which the protocol was observed to change; null when there is none.
ProtocolSwitch* seen_switch(std::vector<ProtocolSwitch>& switches, const SeenEager& seen) {
  for (ProtocolSwitch& found : switches) {
    if (found.bytes < seen.first_rendezvous && found.beyond > seen.longest) return &found;
  }
  return nullptr;
}

/// The switch whose jump is most likely a handshake; null when there is none.
ProtocolSwitch* likely_switch(std::vector<ProtocolSwitch>& switches,
                              const std::vector<CurveSample>& samples,
                              const std::vector<Segment>& segments) {
  if (switches.empty()) return nullptr;
  const double handshake = samples.front().y / 2;
  double largest = 0;
  ProtocolSwitch* likely = nullptr;
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const double relative = switches[i].jump_us / segments[i].at(samples[segments[i].last].x);
    if (switches[i].jump_us < handshake || relative <= largest) continue;
    largest = relative;
    likely = &switches[i];
  }
  return likely;
}

std::vector<ProtocolSwitch> switches_between(const std::vector<CurveSample>& samples,
                                             const std::vector<Segment>& segments,
                                             const SeenEager& seen) {
  std::vector<ProtocolSwitch> switches;
  for (std::size_t i = 1; i < segments.size(); ++i) {
    const Segment& before = segments[i - 1];
    const Segment& after = segments[i];
    const double last = samples[before.last].x;
    const double next = samples[after.first].x;
    switches.push_back({.bytes = static_cast<std::uint64_t>(last),
                        .beyond = static_cast<std::uint64_t>(next),
                        .jump_us = jump_us(before, after, last, next),
                        .seconds_per_byte_before = before.slope * kMicro,
                        .seconds_per_byte_after = after.slope * kMicro,
                        .kind = kUnnamedSwitch});
  }
  ProtocolSwitch* const rendezvous = seen.first_rendezvous > 0
                                         ? seen_switch(switches, seen)
                                         : likely_switch(switches, samples, segments);
  if (rendezvous != nullptr) rendezvous->kind = kEagerToRendezvous;
  return switches;
}

std::uint64_t eager_limit(const std::vector<ProtocolSwitch>& switches, const SeenEager& seen) {
  const auto found = std::ranges::find(switches, kEagerToRendezvous, &ProtocolSwitch::kind);
  return std::max(seen.longest, found == switches.end() ? 0 : found->bytes);
}

/// @param shortest  L + 2 o
Estimate overhead(const Path& path, const Estimate& shortest) {
  if (const OverheadPoint* const point = least(path.mpi_overheads)) {
    const Estimate send = in_seconds(point->send_us);
    const Estimate receive = in_seconds(point->receive_us);
    return {(send.value + receive.value) / 2, (send.low + receive.low) / 2,
            (send.high + receive.high) / 2, true};
  }
  const double most = shortest.high / 2;
  if (!path.bare_line_us || !path.bare_line_us->usable()) return {0, 0, most, false};
  const double line = path.bare_line_us->median * kMicro;
  return {std::clamp((shortest.value - line) / 2, 0.0, most), 0, most, false};
}

Estimate gap(const Path& path, const Estimate& overhead) {
  if (const machine::BackToBackPoint* const point = least(path.mpi_back_to_back)) {
    Estimate measured = in_seconds(point->time_us);
    measured.value = std::max(measured.value, overhead.value);
    measured.high = std::max(measured.high, measured.value);
    return measured;
  }
  const machine::PingPingPoint* const both = least(path.mpi_pingping);
  const double most = both == nullptr ? overhead.high : in_seconds(both->time_us).high;
  return {overhead.value, overhead.low, std::max(most, overhead.value), false};
}

Estimate slope_of(const Segment& segment) {
  return estimate(segment.slope * kMicro, segment.slope_half_width * kMicro, true);
}

/// @param eager  slope of eager messages, seconds per byte
Estimate overhead_per_byte(const Path& path, std::uint64_t limit, double eager) {
  std::vector<CurveSample> samples;
  for (const OverheadPoint& point : path.mpi_overheads) {
    if ((limit > 0 && point.bytes > limit) || !usable(point)) continue;
    samples.push_back({static_cast<double>(point.bytes),
                       (point.send_us.median + point.receive_us.median) / 2,
                       (standard_error(point.send_us) + standard_error(point.receive_us)) / 2});
  }
  if (samples.size() < 3) return {0, 0, eager / 2, false};
  std::ranges::sort(samples, {}, &CurveSample::x);
  return slope_of(fit_line(samples, SegmentRules().relative_error));
}

/// The slope of the longest eager messages, seconds per byte; without a limit, of the first piece.
double eager_slope(const std::vector<CurveSample>& samples, const std::vector<Segment>& segments,
                   std::uint64_t limit) {
  const Segment* eager = &segments.front();
  for (const Segment& segment : segments) {
    if (samples[segment.first].x <= static_cast<double>(limit)) eager = &segment;
  }
  return eager->slope * kMicro;
}

Estimate latency(const Estimate& shortest, const Estimate& overhead) {
  return {std::max(0.0, shortest.value - 2 * overhead.value),
          std::max(0.0, shortest.low - 2 * overhead.high),
          std::max(0.0, shortest.high - 2 * overhead.low), overhead.measured};
}

}  // namespace

std::vector<Segment> pingpong_segments(const Path& path) {
  return fit_segments(pingpong_samples(path));
}

std::vector<ProtocolSwitch> protocol_switches(const Path& path) {
  const std::vector<CurveSample> samples = pingpong_samples(path);
  return switches_between(samples, fit_segments(samples), seen_eager(path));
}

std::optional<LogGp> loggp_of(const Path& path) {
  const std::vector<CurveSample> samples = pingpong_samples(path);
  const std::vector<Segment> segments = fit_segments(samples);
  if (segments.empty()) return std::nullopt;
  const Segment& first = segments.front();
  const Estimate shortest =
      estimate(first.intercept * kMicro, first.intercept_half_width * kMicro, true);
  LogGp found;
  const SeenEager seen = seen_eager(path);
  found.eager_limit = eager_limit(switches_between(samples, segments, seen), seen);
  found.overhead_s = overhead(path, shortest);
  found.gap_s = gap(path, found.overhead_s);
  found.latency_s = latency(shortest, found.overhead_s);
  found.seconds_per_byte = slope_of(segments.back());
  found.overhead_per_byte_s =
      overhead_per_byte(path, found.eager_limit, eager_slope(samples, segments, found.eager_limit));
  return found;
}

void add_fits(machine::Measured& measured) {
  if (!measured.source.empty()) return;
  for (Path& path : measured.paths) {
    path.loggp = loggp_of(path);
    path.switches = protocol_switches(path);
  }
  measured.overlap_verdicts = judge_overlap(measured);
  measured.mixed_verdicts = judge_mixed(measured);
}

}  // namespace plait::model
