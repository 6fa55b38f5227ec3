// SPDX-License-Identifier: BSD-3-Clause
// The time of a rank by category in equal parts of a run.
#include "report/timeline_bins.hpp"

#include <algorithm>
#include <cmath>

#include "base/combine.hpp"
#include "base/parallel.hpp"
#include "report/timeline_columns.hpp"

namespace plait::report {
namespace {

using trace::EventKind;
using trace::OperationKind;

/// The parts of RowBins: sums over a million ranks fit into 64 bits.
constexpr double kPartsOfBin = 1ULL << 40U;

std::size_t index_of(TimeCategory category) {
  return static_cast<std::size_t>(category);
}

/// Adds [begin, end), relative to the begin of the run, times `weight` to the bins it overlaps.
class Spreader {
public:
  Spreader(double width_ns, std::size_t bins) : width_(width_ns), bins_(bins) {}

  void add(std::vector<double>& to, double begin, double end, double weight = 1) const {
    if (!(end > begin)) return;
    std::size_t bin = bin_of(begin);
    for (double at = begin; at < end; ++bin) {
      const bool is_last = bin + 1 == bins_;
      const double until = is_last ? end : std::min(end, width_ * static_cast<double>(bin + 1));
      if (until > at) to[bin] += (until - at) * weight;
      at = std::max(at, until);
      if (is_last) break;
    }
  }

private:
  [[nodiscard]] std::size_t bin_of(double at) const {
    return at <= 0 ? 0 : std::min(bins_ - 1, static_cast<std::size_t>(at / width_));
  }
  double width_;
  std::size_t bins_;
};

bool has(const trace::Trace& trace, const trace::Stream& stream, EventKind kind) {
  return std::any_of(stream.events.begin(), stream.events.end(),
                     [&](const trace::Event& event) { return trace.shape(event).kind == kind; });
}

std::int64_t call_time(const trace::Trace& trace, const trace::Stream& stream) {
  std::int64_t sum = 0;
  for (const trace::Event& event : stream.events) {
    if (is_call(trace.shape(event).kind)) sum += event.end - event.begin;
  }
  return sum;
}

TimeCategory category_of_operation(const trace::Operation& operation) {
  return operation.kind == OperationKind::collective ? TimeCategory::collective
                                                     : TimeCategory::point_to_point;
}

/// Adds the mean idle time of a rank's threads: time in regions in which they do not work. If only
/// the threads' parts of regions were recorded, they are idle at the end of these.
template <class Clip>
void add_openmp_idle(const trace::Trace& trace, const trace::Rank& rank, const Spreader& spread,
                     const Clip& clip, std::vector<double>& idle) {
  const auto count = [&](EventKind kind) {
    return std::count_if(rank.streams.begin(), rank.streams.end(),
                         [&](const trace::Stream& stream) { return has(trace, stream, kind); });
  };
  const auto threads = count(EventKind::work);
  if (threads == 0) return;
  const bool knows_regions = count(EventKind::parallel) > 0;
  const double share = 1.0 / static_cast<double>(threads);
  for (const trace::Stream& stream : rank.streams) {
    for (const trace::Event& event : stream.events) {
      const EventKind kind = trace.shape(event).kind;
      if (kind == EventKind::parallel) spread.add(idle, clip(event.begin), clip(event.end));
      if (kind != EventKind::work) continue;
      const double worked =
          clip(std::max(event.begin, event.end - static_cast<std::int64_t>(event.bytes)));
      if (knows_regions) {
        spread.add(idle, clip(event.begin), worked, -share);
      } else {
        spread.add(idle, worked, clip(event.end), share);
      }
    }
  }
}

}  // namespace

TimeCategory category_of(const trace::Trace& trace, const trace::Rank& rank,
                         const trace::Event& event) {
  switch (trace.shape(event).kind) {
    case EventKind::collective:
      return TimeCategory::collective;
    case EventKind::send:
    case EventKind::receive:
    case EventKind::send_receive:
    case EventKind::probe:
      return TimeCategory::point_to_point;
    case EventKind::start:
      if (event.operations == 0 || event.first_operation >= rank.operations.size()) break;
      return category_of_operation(rank.operations[event.first_operation]);
    case EventKind::complete: {
      if (event.ended_count == 0 || event.first_ended >= rank.ended.size()) break;
      const std::uint32_t first = rank.ended[event.first_ended];
      if (first >= rank.operations.size()) break;
      return category_of_operation(rank.operations[first]);
    }
    default:
      break;
  }
  return TimeCategory::other_mpi;
}

std::uint32_t time_stream(const trace::Trace& trace, const trace::Rank& rank) {
  const auto calls = [&](const trace::Event& event) { return is_call(trace.shape(event).kind); };
  const std::vector<trace::Event>& main = rank.streams.front().events;
  if (rank.streams.size() == 1 || std::any_of(main.begin(), main.end(), calls)) return 0;
  std::uint32_t longest = 0;
  std::int64_t most = 0;
  for (std::uint32_t i = 1; i < rank.streams.size(); ++i) {
    const std::int64_t time = call_time(trace, rank.streams[i]);
    if (time > most) {
      most = time;
      longest = i;
    }
  }
  return longest;
}

std::array<std::vector<double>, kTimeCategories> fill_bins(const trace::Trace& trace,
                                                           std::uint32_t rank_index,
                                                           const TimelineWindow& run,
                                                           std::size_t bins,
                                                           const WaitOfEvent& wait) {
  std::array<std::vector<double>, kTimeCategories> sums;
  for (std::vector<double>& sum : sums) sum.assign(bins, 0);
  const trace::Rank& rank = trace.ranks[rank_index];
  if (rank.streams.empty()) return sums;
  const Spreader spread(static_cast<double>(run.end - run.begin) / static_cast<double>(bins), bins);
  const auto clip = [&](std::int64_t at) {
    return static_cast<double>(std::clamp(at, rank.begin, std::max(rank.begin, rank.end)) -
                               run.begin);
  };
  std::vector<double>& computation = sums[index_of(TimeCategory::computation)];
  spread.add(computation, clip(rank.begin), clip(rank.end));

  const std::uint32_t stream = time_stream(trace, rank);
  const std::vector<trace::Event>& events = rank.streams[stream].events;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const trace::Event& event = events[i];
    if (!is_call(trace.shape(event).kind)) continue;
    const std::int64_t waited = wait ? wait(rank_index, stream, i) : 0;
    const double until =
        clip(event.begin + std::clamp<std::int64_t>(waited, 0, event.end - event.begin));
    spread.add(sums[index_of(TimeCategory::waiting)], clip(event.begin), until);
    spread.add(sums[index_of(category_of(trace, rank, event))], until, clip(event.end));
    spread.add(computation, clip(event.begin), clip(event.end), -1);
  }
  std::vector<double>& idle = sums[index_of(TimeCategory::openmp_idle)];
  add_openmp_idle(trace, rank, spread, clip, idle);
  // While a rank is in MPI, its idle threads do not count.
  for (std::size_t bin = 0; bin < bins; ++bin) {
    computation[bin] = std::max(0.0, computation[bin]);
    idle[bin] = std::clamp(idle[bin], 0.0, computation[bin]);
    computation[bin] -= idle[bin];
  }
  return sums;
}

RowBins::RowBins(const TimelineSource& of, std::size_t bins) : bins_(bins) {
  const std::size_t of_row = kTimeCategories * bins;
  sums_.assign(of.rows.size() * of_row, 0);
  const double parts_per_ns =
      kPartsOfBin * static_cast<double>(bins) / static_cast<double>(of.run.end - of.run.begin);
  for_each_index(
      of.rows.size(),
      [&](std::size_t row) {
        for (std::uint32_t rank = of.rows[row].first; rank < of.rows[row].last; ++rank) {
          if (of.trace.ranks[rank].left_out || !of.trace.has(rank)) continue;
          std::size_t at = row * of_row;
          for (const std::vector<double>& sum : fill_bins(of.trace, rank, of.run, bins, of.wait)) {
            for (const double ns : sum) {
              const double parts = std::clamp(ns * parts_per_ns, 0.0, kPartsOfBin);
              sums_[at++] += static_cast<std::uint64_t>(std::llround(parts));
            }
          }
        }
      },
      of.team.threads);
  combine(of.team.processes, sums_, [](std::uint64_t one, std::uint64_t& sum) { sum += one; });
}

std::string RowBins::columns(std::size_t row, std::uint32_t ranks) const {
  const double whole = kPartsOfBin * ranks;
  std::vector<ColumnBytes> columns(kTimeCategories);
  std::size_t at = row * kTimeCategories * bins_;
  for (ColumnBytes& column : columns) {
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      const double share = static_cast<double>(sums_[at++]) / whole;
      column.add(static_cast<std::uint64_t>(std::lround(share * kWholeBin)));
    }
  }
  return joined(columns);
}

}  // namespace plait::report
