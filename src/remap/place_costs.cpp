// SPDX-License-Identifier: BSD-3-Clause
// What it costs to have ranks on places: messages between them, and memory bandwidth that they
// share.
#include "remap/place_costs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "machine/paths.hpp"
#include "mapping/costs.hpp"
#include "model/jacobi_inputs.hpp"

namespace plait::remap {
namespace {

using mapping::PathCost;

/// The message size at which bandwidths are taken, as in mapping/costs.cpp.
constexpr std::uint64_t kLongMessage = std::uint64_t{1} << 20U;
/// A core's memory bandwidth and cache when the machine file has none.
constexpr double kCoreBytesPerS = 10e9;
constexpr double kCacheBytes = 1 << 20;
/// Levels of domains: outermost caches, NUMA domains, packages.
constexpr std::size_t kLevels = 3;

/// Costs of messages between cores.
class CorePaths {
public:
  explicit CorePaths(const machine::MachineFile& machine)
      : topology_(machine.topology),
        general_(machine.measured ? mapping::costs_of(*machine.measured)
                                  : mapping::default_costs()) {
    if (!machine.measured) return;
    for (const machine::Path& path : machine.measured->paths) {
      if (const auto link = model::link_of(path, kLongMessage)) {
        measured_[path.id] = {link->latency_s.value, 1 / link->pair_bytes_per_s.value};
      }
    }
  }

  PathCost between(int a, int b) const {
    const std::string id =
        a == b ? "smt" : machine::path_between(topology_, std::min(a, b), std::max(a, b)).id;
    if (const auto found = measured_.find(id); found != measured_.end()) return found->second;
    std::size_t level = 3;  // a cache
    if (id == "smt") level = 4;
    if (id == "numa") level = 2;
    if (id == "package") level = 1;
    if (id == "node") level = 0;
    // Of an unmeasured level, `general_` has the cost of the next measured one outside it.
    const PathCost &outside = general_.path[level], &usual = usual_.path[level];
    return {std::min(outside.seconds, usual.seconds),
            std::min(outside.seconds_per_byte, usual.seconds_per_byte)};
  }

private:
  const machine::Topology& topology_;
  mapping::Costs general_;
  mapping::Costs usual_ = mapping::default_costs();
  std::map<std::string, PathCost> measured_;
};

/// For each core the number of its outermost cache; -1 - core without one.
std::vector<int> outermost_caches(const machine::Topology& node) {
  int last = 0;
  for (const machine::Cache& cache : node.caches) last = std::max(last, cache.level);
  std::vector<int> cache_of;
  for (std::size_t core = 0; core < node.cores.size(); ++core) {
    cache_of.push_back(-1 - static_cast<int>(core));
  }
  for (std::size_t i = 0; i < node.caches.size(); ++i) {
    if (node.caches[i].level != last) continue;
    for (const int core : node.caches[i].cores) {
      cache_of[static_cast<std::size_t>(core)] = static_cast<int>(i);
    }
  }
  return cache_of;
}

double median_gbs(const machine::Measured& measured, bool of_one_thread) {
  double best = 0;
  for (const machine::StreamResult& result : measured.stream) {
    if (!result.gbs.usable() || (of_one_thread && result.threads != 1)) continue;
    best = std::max(best, result.gbs.median);
  }
  return best;
}

/// The one value of all cores of a place; -1 if they differ.
int common(const std::vector<int>& of_core, const std::vector<int>& cores) {
  const int first = of_core[static_cast<std::size_t>(cores.front())];
  for (const int core : cores) {
    if (of_core[static_cast<std::size_t>(core)] != first) return -1;
  }
  return first;
}

}  // namespace

PlaceCosts::PlaceCosts(const machine::MachineFile& machine, const std::vector<Place>& places)
    : places_(places.size()) {
  const CorePaths cores(machine);
  paths_.reserve(places_ * places_);
  for (const Place& from : places) {
    for (const Place& to : places) {
      PathCost sum;
      for (const int a : from.cores) {
        for (const int b : to.cores) {
          const PathCost cost = cores.between(a, b);
          sum.seconds += cost.seconds;
          sum.seconds_per_byte += cost.seconds_per_byte;
        }
      }
      const auto pairs = static_cast<double>(from.cores.size() * to.cores.size());
      paths_.push_back({sum.seconds / pairs, sum.seconds_per_byte / pairs});
    }
  }
  const machine::Topology& node = machine.topology;
  const std::vector<int> cache_of = outermost_caches(node);
  std::vector<int> numa_of, package_of;
  for (const machine::Core& core : node.cores) {
    numa_of.push_back(core.numa);
    package_of.push_back(core.package);
  }
  // In multiples of one core's bandwidth.
  const auto all = static_cast<double>(node.cores.size());
  double total = all / 4;
  double core_bytes_per_s = kCoreBytesPerS;
  if (machine.measured) {
    const double one = median_gbs(*machine.measured, true);
    if (one > 0) {
      total = median_gbs(*machine.measured, false) / one;
      core_bytes_per_s = one * 1e9;
    }
  }
  parts_.resize(places_);
  const std::array<const std::vector<int>*, kLevels> levels{&cache_of, &numa_of, &package_of};
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::vector<int>* of_core = levels[level];
    std::map<int, std::size_t> domain_of;
    std::map<int, double> size;
    for (const int group : *of_core) ++size[group];
    for (const auto& [group, of_group] : size) {
      domain_of[group] = domains_.size();
      domains_.push_back({std::max(1.0, total * of_group / all)});
    }
    for (std::size_t place = 0; place < places_; ++place) {
      std::map<std::size_t, double> shares;
      const std::vector<int>& ids = places[place].cores;
      for (const int core : ids) {
        shares[domain_of[(*of_core)[static_cast<std::size_t>(core)]]] +=
            1 / static_cast<double>(ids.size());
      }
      for (const auto& [domain, share] : shares) parts_[place].push_back({level, domain, share});
    }
  }
  for (const Place& place : places) {
    cache_of_.push_back(common(cache_of, place.cores));
    numa_of_.push_back(common(numa_of, place.cores));
  }
  double cache_bytes = kCacheBytes;
  for (const machine::Cache& cache : node.caches) {
    cache_bytes = std::max(cache_bytes, static_cast<double>(cache.size_bytes));
  }
  refill_s_ = cache_bytes / core_bytes_per_s;
}

std::vector<double> PlaceCosts::slowdowns(const std::vector<int>& place_of,
                                          const std::vector<double>& busy) const {
  std::vector<double> demand(domains_.size(), 0);
  for (std::size_t rank = 0; rank < place_of.size(); ++rank) {
    for (const Part& part : parts_[static_cast<std::size_t>(place_of[rank])]) {
      demand[part.domain] += kMemoryShare * busy[rank] * part.share;
    }
  }
  std::vector<double> result;
  for (const int place : place_of) {
    std::array<double, kLevels> of_level{};
    for (const Part& part : parts_[static_cast<std::size_t>(place)]) {
      of_level[part.level] +=
          part.share * std::max(1.0, demand[part.domain] / domains_[part.domain].bandwidth);
    }
    // All that a core reads comes through a domain of each level, so the slowest one decides.
    const double memory = *std::max_element(of_level.begin(), of_level.end());
    result.push_back(1 - kMemoryShare + kMemoryShare * memory);
  }
  return result;
}

double PlaceCosts::refill_s(int from, int to) const {
  const int before = cache_of_[static_cast<std::size_t>(from)];
  return before != -1 && before == cache_of_[static_cast<std::size_t>(to)] ? 0 : refill_s_;
}

bool PlaceCosts::far_from(int home, int to) const {
  const int memory = numa_of_[static_cast<std::size_t>(home)];
  return memory != -1 && memory != numa_of_[static_cast<std::size_t>(to)];
}

}  // namespace plait::remap
