// SPDX-License-Identifier: BSD-3-Clause
// Figures that follow from counters, each beside what bounds it.
#include "report/derived_figures.hpp"

#include <fmt/format.h>

#include <map>

#include "machine/machine_file.hpp"
#include "report/event_counts.hpp"
#include "report/machine_bound.hpp"

namespace plait::report {
namespace {

/// Figures of one region, from counts between MPI calls: what happens in MPI is waiting.
class RegionFigures {
public:
  RegionFigures(const std::vector<CounterEventRow>& events, const CounterRegionRow& row,
                double nodes, const machine::MachineFile* machine, double elapsed_s)
      : row_(row),
        nodes_(nodes),
        stream_(best_stream(machine)),
        peak_(best_peak(machine)),
        elapsed_s_(elapsed_s),
        counts_(event_counts(events, row.outside)),
        inside_(event_counts(events, row.inside)) {}

  void add_to(std::vector<DerivedFigure>& figures) const {
    instructions_per_cycle(figures);
    ratio(figures, "branch_misses", "branches mispredicted", "branch-misses", "branches");
    const std::optional<double> bytes = memory_bytes(counts_);
    const std::optional<double> flops = floating_point_operations(counts_);
    if (bytes) bandwidth(figures, *bytes);
    if (flops) speed(figures, *flops, bytes);
  }

private:
  [[nodiscard]] std::optional<double> count(const std::string& name) const {
    const auto at = counts_.find(name);
    return at == counts_.end() ? std::nullopt : std::optional(at->second);
  }

  void add(std::vector<DerivedFigure>& figures, const std::string& id, const std::string& name,
           double value, const std::string& unit, std::optional<double> bound = {},
           const std::string& bound_name = "") const {
    figures.push_back({id, row_.region, name, value, unit, bound, bound_name});
  }

  void ratio(std::vector<DerivedFigure>& figures, const std::string& id, const std::string& name,
             const std::string& part, const std::string& whole) const {
    const auto of = count(part), all = count(whole);
    if (of && all && *all > 0) add(figures, id, name, *of / *all, "");
  }

  void instructions_per_cycle(std::vector<DerivedFigure>& figures) const {
    const auto instructions = count("instructions"), cycles = count("cycles");
    if (instructions && cycles && *cycles > 0) {
      add(figures, "instructions_per_cycle", "instructions per cycle, outside MPI",
          *instructions / *cycles, "");
    }
    const auto within = inside_.find("instructions"), spent = inside_.find("cycles");
    if (within != inside_.end() && spent != inside_.end() && spent->second > 0) {
      add(figures, "instructions_per_cycle_in_mpi", "instructions per cycle, inside MPI",
          within->second / spent->second, "");
    }
  }

  void bandwidth(std::vector<DerivedFigure>& figures, double bytes) const {
    if (elapsed_s_ <= 0) return;
    const double rate = bytes / elapsed_s_ / nodes_ * 1e-9;
    const std::string name = "memory bandwidth of a node, from cache misses";
    if (stream_ == nullptr) return add(figures, "memory_bandwidth", name, rate, "GB/s");
    add(figures, "memory_bandwidth", name, rate, "GB/s", stream_->gbs.median,
        stream_name(*stream_));
  }

  /// A point of the roofline model (Williams, Waterman, Patterson 2009): the speed, and the smaller
  /// of what the cores and memory permit at this number of operations per byte.
  void speed(std::vector<DerivedFigure>& figures, double flops, std::optional<double> bytes) const {
    if (elapsed_s_ <= 0) return;
    std::optional<double> bound;
    std::string bound_name;
    if (peak_ != nullptr) {
      bound = peak_->gflops.median;
      bound_name = peak_name(*peak_);
    }
    if (bytes && *bytes > 0) {
      const double intensity = flops / *bytes;
      add(figures, "operational_intensity", "operations per byte", intensity, "FLOP/B");
      if (stream_ != nullptr && (!bound || intensity * stream_->gbs.median < *bound)) {
        bound = intensity * stream_->gbs.median;
        bound_name = "memory roof: FLOP/B x " + stream_name(*stream_);
      }
    }
    add(figures, "floating_point_speed", "floating-point speed of a node",
        flops / elapsed_s_ / nodes_ * 1e-9, "GFLOP/s", bound, bound_name);
  }

  const CounterRegionRow& row_;
  double nodes_;
  const machine::StreamResult* stream_;
  const machine::PeakResult* peak_;
  double elapsed_s_;
  EventCounts counts_, inside_;
};

/// The time of a region between MPI calls, the mean of the ranks.
double elapsed_of(const Counters& counters, const std::string& region,
                  const std::set<std::pair<int, int>>& computing) {
  std::map<std::pair<int, int>, double> threads;  // by rank and tid
  for (const CounterRow& row : counters.threads) {
    const bool inside =
        region.empty() || row.region == region || row.region.starts_with(region + "/");
    if (inside) threads[{row.rank, row.tid}] += row.outside_s;
  }
  std::map<int, ElapsedTime> ranks;
  for (const auto& [thread, seconds] : threads) {
    ranks[thread.first].add(computing.contains(thread), seconds);
  }
  double sum = 0;
  for (const auto& [rank, elapsed] : ranks) sum += elapsed.seconds();
  return ranks.empty() ? 0 : sum / static_cast<double>(ranks.size());
}

}  // namespace

std::set<std::pair<int, int>> computing_threads(const Counters& counters) {
  std::set<std::pair<int, int>> threads;
  for (const CounterRow& row : counters.threads) {
    if (row.inside_s > 0 || row.thread >= 0) threads.emplace(row.rank, row.tid);
  }
  return threads;
}

std::size_t nodes_of(const Job& job) {
  std::set<std::string> hosts;
  for (const trace::RankRecord* record : job.ranks) hosts.insert(record->host);
  return std::max<std::size_t>(1, hosts.size());
}

std::vector<DerivedFigure> derived_figures_of(const std::vector<CounterEventRow>& events,
                                              const CounterRegionRow& row, std::size_t nodes,
                                              double elapsed_s,
                                              const machine::MachineFile* machine) {
  std::vector<DerivedFigure> figures;
  RegionFigures(events, row, static_cast<double>(nodes), machine, elapsed_s).add_to(figures);
  return figures;
}

std::vector<DerivedFigure> derived_figures(const Counters& counters, std::size_t nodes,
                                           const machine::MachineFile* machine) {
  const std::set<std::pair<int, int>> computing = computing_threads(counters);
  std::vector<DerivedFigure> figures;
  for (const CounterRegionRow& row : counters.regions) {
    const double elapsed_s = elapsed_of(counters, row.region, computing);
    for (DerivedFigure& figure :
         derived_figures_of(counters.events, row, nodes, elapsed_s, machine)) {
      figures.push_back(std::move(figure));
    }
  }
  return figures;
}

}  // namespace plait::report
