// SPDX-License-Identifier: BSD-3-Clause
// Counters of all ranks: corrected for multiplexing, by thread and region, with derived figures.
#include <algorithm>
#include <map>

#include "report/counted_place.hpp"
#include "report/derived_figures.hpp"
#include "report/rank_rows.hpp"
#include "report/resources.hpp"
#include "report/roofline.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kMostThreadRows = 20000;

/// Names of the regions that are open in one: itself, those around it, and the whole run ("").
std::vector<std::string> open_regions(const trace::RankRecord& record, int region) {
  std::vector<std::string> names{""};
  for (; region >= 0; region = record.regions[static_cast<std::size_t>(region)].parent) {
    names.push_back(region_name(record.regions, static_cast<std::size_t>(region)));
  }
  return names;
}

/// Each host's energy, from the rank that saw most of it.
std::vector<EnergyRow> energy_of(const Job& job) {
  std::map<std::pair<std::string, std::string>, EnergyRow> rows;
  for (const trace::RankRecord* record : job.ranks) {
    const double seconds = record->last_s - record->init_end_s;
    for (const trace::EnergyUse& use : record->energy) {
      EnergyRow& row = rows[{record->host, use.name}];
      if (use.joules <= row.joules) continue;
      row = {record->host, use.name, use.joules, seconds > 0 ? use.joules / seconds : 0};
    }
  }
  std::vector<EnergyRow> energy;
  for (auto& [key, row] : rows) {
    if (row.joules > 0) energy.push_back(std::move(row));
  }
  return energy;
}

}  // namespace

Counters counters_of(const Job& job, const machine::MachineFile* machine) {
  Counters counters;
  CountedEvents events(job);
  struct Region {
    CountedPlace place;
    int ranks = 0;
  };
  std::map<std::string, Region> regions;
  double threads_s = 0;
  double readings_s = 0;
  int readers = 0;
  for (const trace::RankRecord* record : job.ranks) {
    const std::vector<std::size_t> columns = events.columns_of(*record);
    std::map<std::string, bool> seen;
    for (const trace::CounterSums& sums : record->counter_sums) {
      const std::vector<std::string> open = open_regions(*record, sums.region);
      for (const std::string& name : open) {
        regions[name].place.add(sums, columns);
        if (!seen[name]) ++regions[name].ranks;
        seen[name] = true;
      }
      counters.readings += sums.readings;
      threads_s += sums.outside_s + sums.inside_s;
      readings_s += static_cast<double>(sums.readings) * record->counter_reading_ns * 1e-9;
      if (counters.threads.size() == kMostThreadRows) {
        ++counters.left_out;
        continue;
      }
      CountedPlace place;
      place.add(sums, columns);
      counters.threads.push_back({record->world_rank, sums.omp_thread, sums.tid,
                                  open.size() > 1 ? open[1] : "", sums.outside_s, sums.inside_s,
                                  CountedPlace::totals(place.outside, events.rows.size()),
                                  CountedPlace::totals(place.inside, events.rows.size())});
    }
    if (record->counter_reading_ns <= 0) continue;
    counters.reading_ns += record->counter_reading_ns;
    ++readers;
  }
  if (readers > 0) counters.reading_ns /= readers;
  if (threads_s > 0) counters.overhead = readings_s / threads_s;
  counters.events = std::move(events.rows);
  for (const auto& [name, region] : regions) {
    counters.regions.push_back({name, region.ranks, region.place.outside_s, region.place.inside_s,
                                CountedPlace::totals(region.place.outside, counters.events.size()),
                                CountedPlace::totals(region.place.inside, counters.events.size())});
  }
  if (const auto whole = regions.find(""); whole != regions.end()) {
    const CountedPlace& place = whole->second.place;
    for (std::size_t i = 0; i < place.outside.size(); ++i) {
      const double enabled_s = place.outside[i].enabled_s + place.inside[i].enabled_s;
      const double running_s = place.outside[i].running_s + place.inside[i].running_s;
      counters.events[i].counted = enabled_s > 0 ? std::min(1.0, running_s / enabled_s) : 0;
    }
  }
  counters.energy = energy_of(job);
  counters.derived = derived_figures(counters, nodes_of(job), machine);
  counters.roofline = roofline_of(counters, machine);
  return counters;
}

}  // namespace plait::report
