// SPDX-License-Identifier: BSD-3-Clause
// The places of a node to which ranks may be moved: sets of the cores that their launcher gave
// them.
#include "remap/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "mapping/slots.hpp"

namespace plait::remap {
namespace {

using Cores = std::vector<int>;

constexpr const char* kUnbind =
    "leave the ranks unbound (Open MPI: --bind-to none; MPICH: -bind-to none; Intel MPI: -genv "
    "I_MPI_PIN 0; srun: --cpu-bind=none)";

/// A core and the groups that it is in.
struct Core {
  int id = 0;
  mapping::Slot groups{};
};

/// The cores in the order of the tree.
std::vector<Core> cores_in_tree(machine::Topology node, const Cores& ids) {
  node.allowed_pus = node.pus_of(ids);
  std::vector<mapping::Slot> groups = mapping::slots_of_node(node, 1, {});
  std::vector<Core> cores;
  for (const mapping::Slot& of : groups) cores.push_back({0, of});
  // slots_of_node() numbers cores from 0 in the order of their ids.
  const std::vector<int> allowed = node.allowed_cores();
  for (Core& core : cores) {
    core.id = allowed[static_cast<std::size_t>(core.groups[mapping::kLevels - 1])];
  }
  return cores;
}

Places refused(std::string why) {
  return {{}, {}, std::move(why)};
}

/// Ranks of one place each change places.
Places of_bound_ranks(const std::vector<Binding>& bindings) {
  std::map<Cores, int> ranks_of;
  for (const Binding& binding : bindings) ++ranks_of[binding.cores];
  std::set<int> seen;
  std::size_t total = 0;
  Places places;
  std::map<Cores, int> number;
  for (const auto& [cores, ranks] : ranks_of) {
    seen.insert(cores.begin(), cores.end());
    total += cores.size();
    number[cores] = static_cast<int>(places.all.size());
    places.all.push_back({cores, ranks, ranks});
  }
  if (seen.size() != total) {
    return refused(
        fmt::format("the launcher gave the ranks sets of cores that overlap; {}", kUnbind));
  }
  for (const Binding& binding : bindings) places.now.push_back(number[binding.cores]);
  return places;
}

/// Sets of `threads` cores each.
std::vector<Place> single_places(const std::vector<Core>& cores, int threads) {
  std::vector<Place> places;
  const auto size = static_cast<std::size_t>(threads);
  for (std::size_t first = 0; first + size <= cores.size(); first += size) {
    Place place;
    for (std::size_t i = first; i < first + size; ++i) place.cores.push_back(cores[i].id);
    std::sort(place.cores.begin(), place.cores.end());
    places.push_back(place);
  }
  return places;
}

/// The cores of each outermost cache; of each NUMA domain or package if all cores share a cache.
std::vector<Place> shared_places(const std::vector<Core>& cores, int ranks) {
  for (const mapping::Level level :
       {mapping::Level::cache, mapping::Level::numa, mapping::Level::package}) {
    std::map<int, Cores> groups;
    for (const Core& core : cores) {
      groups[core.groups[static_cast<std::size_t>(level)]].push_back(core.id);
    }
    if (groups.size() < 2) continue;
    std::vector<Place> places;
    const auto all = static_cast<int>(cores.size());
    for (auto& [group, ids] : groups) {
      const int share = ranks * static_cast<int>(ids.size());
      std::sort(ids.begin(), ids.end());
      places.push_back({ids, share / all, (share + all - 1) / all});
    }
    return places;
  }
  return {};
}

}  // namespace

Places places_of(const machine::Topology& node, const std::vector<Binding>& bindings) {
  if (bindings.size() < 2) return refused("there is one rank on this node, and nothing to arrange");
  const bool same = std::all_of(bindings.begin(), bindings.end(), [&](const Binding& binding) {
    return binding.cores == bindings.front().cores;
  });
  if (!same) return of_bound_ranks(bindings);
  const Cores& cores = bindings.front().cores;
  if (cores.size() < 2) {
    return refused(fmt::format("all ranks are bound to core {}; {}, and give the job more cores",
                               machine::format_ids(cores), kUnbind));
  }
  int threads = 1;
  for (const Binding& binding : bindings) threads = std::max(threads, binding.threads);
  const auto ranks = static_cast<int>(bindings.size());
  const std::vector<Core> tree = cores_in_tree(node, cores);
  const bool fits = ranks * threads <= static_cast<int>(cores.size());
  Places places;
  places.all = fits ? single_places(tree, threads) : shared_places(tree, ranks);
  if (places.all.size() < 2) {
    return refused("all cores of the job share a cache, so no placement of the ranks is better");
  }
  places.now.assign(bindings.size(), static_cast<int>(places.all.size()));
  places.all.push_back({cores, 0, 0});
  return places;
}

}  // namespace plait::remap
