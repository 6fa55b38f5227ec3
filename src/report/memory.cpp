// SPDX-License-Identifier: BSD-3-Clause
// Memory of all ranks and hosts, over time, and whether it grows.
#include <algorithm>
#include <map>
#include <span>

#include "report/resources.hpp"
#include "report/series.hpp"

namespace plait::report {
namespace {

std::vector<std::array<double, 2>> points_of(const trace::RankRecord& record) {
  std::vector<std::array<double, 2>> points;
  for (const std::size_t i : thinned(record.memory_samples.size())) {
    const trace::MemorySample& sample = record.memory_samples[i];
    points.push_back(
        {std::max(0.0, sample.at_s - record.init_end_s), static_cast<double>(sample.resident)});
  }
  return points;
}

double mean_of(std::span<const trace::MemorySample> samples) {
  double sum = 0;
  for (const trace::MemorySample& sample : samples) sum += static_cast<double>(sample.resident);
  return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
}

/// Bytes per second in the last two thirds of the run, when data has been set up; 0 unless nearly
/// every one of eight parts of that time has more than the one before.
double steady_growth(const trace::RankRecord& record) {
  constexpr std::size_t parts = 8, fewest = 24;
  constexpr double least_share = 0.1, least_bytes = 8 << 20;
  const std::span<const trace::MemorySample> all(record.memory_samples);
  if (all.size() < fewest) return 0;
  const auto late = all.subspan(all.size() / 3);
  int rises = 0;
  double before = 0, first = 0, last = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = late.size() * part / parts, end = late.size() * (part + 1) / parts;
    last = mean_of(late.subspan(begin, end - begin));
    if (part == 0) first = last;
    if (part > 0 && last > before) ++rises;
    before = last;
  }
  const double seconds = (late.back().at_s - late.front().at_s) * (parts - 1) / parts;
  const bool steady = rises >= static_cast<int>(parts) - 2 && last - first >= least_bytes &&
                      last - first >= least_share * first;
  return steady && seconds > 0 ? (last - first) / seconds : 0;
}

MemoryRankRow row_of(const trace::RankRecord& record) {
  MemoryRankRow row;
  row.rank = record.world_rank;
  row.host = record.host;
  row.growth_per_s = steady_growth(record);
  const trace::ProcessMemory& of = *record.memory;
  row.peak = of.peak;
  row.resident = of.resident;
  row.anonymous = of.anonymous;
  row.shared = of.shared;
  row.minor_faults = of.minor_faults;
  row.major_faults = of.major_faults;
  row.allocations = of.heap.allocations;
  row.frees = of.heap.frees;
  row.allocated = of.heap.allocated;
  row.heap_live = of.heap.live;
  row.heap_peak = of.heap.peak;
  if (of.cpu) {
    row.user_s = of.cpu->user_s;
    row.system_s = of.cpu->system_s;
  }
  return row;
}

}  // namespace

Memory memory_of(const Job& job) {
  Memory memory;
  struct Host {
    MemoryHostRow row;
    std::uint64_t shared = 0;
  };
  std::map<std::string, Host> hosts;
  for (const trace::RankRecord* record : job.ranks) {
    if (!record->memory) continue;
    const trace::ProcessMemory& of = *record->memory;
    memory.heap = memory.heap || of.has_heap;
    memory.ranks.push_back(row_of(*record));
    Host& host = hosts[record->host];
    host.row.host = record->host;
    ++host.row.ranks;
    host.row.peak += of.peak > of.shared ? of.peak - of.shared : 0;
    host.shared = std::max(host.shared, of.shared);
    const bool group = of.limit > 0 && (of.node == 0 || of.limit < of.node);
    host.row.limit = group ? of.limit : of.node;
    host.row.limit_name = group ? "the control group" : "the node";
    if (memory.series.size() == kMostSeries) {
      ++memory.left_out;
    } else {
      memory.series.push_back({record->world_rank, points_of(*record)});
    }
  }
  for (auto& [name, host] : hosts) {
    host.row.peak += host.shared;
    memory.hosts.push_back(std::move(host.row));
  }
  return memory;
}

}  // namespace plait::report
