// SPDX-License-Identifier: BSD-3-Clause
// Paths: pairs of cores grouped by the hardware that they share (Henriksen 2008, chapter 5).
#include "machine/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace plait::machine {
namespace {

/// A piece of hardware that several cores share, and the kind of path between them.
struct Shared {
  std::size_t size;  ///< number of cores; the smallest piece decides
  int rank;          ///< order among pieces of equal size: cache levels, package, NUMA domain
  PathKind kind;
  std::vector<bool> members;
};

constexpr int kPackageRank = 100;
constexpr int kNumaRank = 101;

PathKind same_core() {
  return {"smt", "same core"};
}
PathKind same_node() {
  return {"node", "same node"};
}

std::vector<bool> membership(const Topology& topology, const std::vector<int>& cores) {
  std::vector<bool> members(topology.cores.size(), false);
  for (const int core : cores) members.at(static_cast<std::size_t>(core)) = true;
  return members;
}

bool in_one_package(const Topology& topology, const std::vector<int>& cores) {
  std::set<int> packages;
  for (const int core : cores) {
    packages.insert(topology.cores.at(static_cast<std::size_t>(core)).package);
  }
  return packages.size() == 1;
}

/// The hardware that cores share, nearest first. Memory that serves several packages is left out:
/// it connects cores no more closely than the node does (the front-side-bus machines of Henriksen's
/// table 5.1).
std::vector<Shared> shared_hardware(const Topology& topology) {
  std::vector<Shared> pieces;
  for (const Cache& cache : topology.caches) {
    if (cache.cores.size() < 2) continue;
    pieces.push_back({cache.cores.size(),
                      cache.level,
                      {fmt::format("l{}", cache.level), fmt::format("shared L{}", cache.level)},
                      membership(topology, cache.cores)});
  }
  for (const Package& package : topology.packages) {
    pieces.push_back({package.cores.size(),
                      kPackageRank,
                      {"package", "same package"},
                      membership(topology, package.cores)});
  }
  for (const NumaNode& numa : topology.numa_nodes) {
    if (!in_one_package(topology, numa.cores)) continue;
    pieces.push_back({numa.cores.size(),
                      kNumaRank,
                      {"numa", "same NUMA domain"},
                      membership(topology, numa.cores)});
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Shared& a, const Shared& b) {
    return std::pair(a.size, a.rank) < std::pair(b.size, b.rank);
  });
  return pieces;
}

/// Index of the nearest piece that both cores share; pieces.size() when there is none.
std::size_t nearest(const std::vector<Shared>& pieces, int core_a, int core_b) {
  const auto a = static_cast<std::size_t>(core_a);
  const auto b = static_cast<std::size_t>(core_b);
  const auto found = std::find_if(pieces.begin(), pieces.end(), [&](const Shared& piece) {
    return piece.members.at(a) && piece.members.at(b);
  });
  return static_cast<std::size_t>(found - pieces.begin());
}

PathKind kind_of(const std::vector<Shared>& pieces, std::size_t index) {
  return index < pieces.size() ? pieces[index].kind : same_node();
}

}  // namespace

PathKind path_between(const Topology& topology, int core_a, int core_b) {
  if (core_a == core_b) return same_core();
  const std::vector<Shared> pieces = shared_hardware(topology);
  return kind_of(pieces, nearest(pieces, core_a, core_b));
}

std::vector<PathClass> path_classes(const Topology& topology) {
  const std::vector<Shared> pieces = shared_hardware(topology);
  const std::vector<int> cores = topology.allowed_cores();
  PathClass siblings{same_core(), {}};
  std::map<std::string, std::size_t> place;  // index of the nearest piece of each kind
  std::map<std::string, PathClass> by_id;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (topology.allowed_pus_of(cores[i]).size() >= 2) {
      siblings.pairs.push_back({cores[i], cores[i]});
    }
    for (std::size_t j = i + 1; j < cores.size(); ++j) {
      const std::size_t piece = nearest(pieces, cores[i], cores[j]);
      const PathKind kind = kind_of(pieces, piece);
      const std::size_t before = place.try_emplace(kind.id, piece).first->second;
      place[kind.id] = std::min(before, piece);
      by_id.try_emplace(kind.id, PathClass{kind, {}})
          .first->second.pairs.push_back({cores[i], cores[j]});
    }
  }
  std::vector<PathClass> classes;
  if (!siblings.pairs.empty()) classes.push_back(std::move(siblings));
  std::vector<std::pair<std::size_t, std::string>> order;
  order.reserve(place.size());
  for (const auto& [id, piece] : place) order.emplace_back(piece, id);
  std::sort(order.begin(), order.end());
  for (const auto& [piece, id] : order) classes.push_back(std::move(by_id.at(id)));
  return classes;
}

std::vector<PathClass> sample_pairs(const std::vector<PathClass>& classes, int per_class) {
  std::vector<PathClass> sample;
  const auto wanted = static_cast<std::size_t>(std::max(per_class, 1));
  for (const PathClass& all : classes) {
    PathClass chosen{all.kind, {}};
    const std::size_t n = all.pairs.size();
    if (n <= wanted) {
      chosen.pairs = all.pairs;
    } else if (wanted == 1) {
      chosen.pairs = {all.pairs.front()};
    } else {
      for (std::size_t i = 0; i < wanted; ++i) {
        chosen.pairs.push_back(all.pairs[i * (n - 1) / (wanted - 1)]);
      }
    }
    sample.push_back(std::move(chosen));
  }
  return sample;
}

}  // namespace plait::machine
