// SPDX-License-Identifier: BSD-3-Clause
// Packs or spreads ranks over a node, treated as a tree of what its cores share.
#include "placement/tree.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace plait::placement {
namespace {

using machine::Topology;
using Units = std::vector<Unit>;
using Ranks = std::vector<Units>;

/// A set of units split by one kind of place. Units outside all places form one more part.
std::vector<Units> parts_by(const std::vector<std::vector<int>>& groups, const Units& units) {
  std::vector<Units> parts;
  Units rest = units;
  for (const std::vector<int>& group : groups) {
    Units inside;
    Units outside;
    for (const Unit& unit : rest) {
      const bool in = std::binary_search(group.begin(), group.end(), unit.core);
      (in ? inside : outside).push_back(unit);
    }
    if (!inside.empty()) parts.push_back(std::move(inside));
    rest = std::move(outside);
  }
  if (!rest.empty()) parts.push_back(std::move(rest));
  return parts;
}

/// The places of a node by kind: packages, memories, caches of each level, cores.
class Tree {
public:
  explicit Tree(const Topology& node) {
    kinds_.push_back(groups_of(node, {PlaceKind::package, 0}));
    kinds_.push_back(groups_of(node, {PlaceKind::numa, 0}));
    std::set<int> levels;
    for (const machine::Cache& cache : node.caches) levels.insert(cache.level);
    for (const int level : levels) kinds_.push_back(groups_of(node, {PlaceKind::cache, level}));
    kinds_.push_back(groups_of(node, {PlaceKind::core, 0}));
  }

  /// The coarsest split of the units; one part when nothing divides them.
  [[nodiscard]] std::vector<Units> parts(const Units& units) const {
    std::vector<Units> coarsest{units};
    for (const auto& groups : kinds_) {
      auto divided = parts_by(groups, units);
      if (divided.size() < 2) continue;
      if (coarsest.size() < 2 || divided.size() < coarsest.size()) coarsest = std::move(divided);
    }
    return coarsest;
  }

private:
  std::vector<std::vector<std::vector<int>>> kinds_;
};

int size_of(const Units& units) {
  return static_cast<int>(units.size());
}

/// Ranks side by side, starting at the first unit.
Ranks in_order(const Units& units, int ranks, int threads) {
  Ranks result;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto first = units.begin() + static_cast<std::ptrdiff_t>(rank) * threads;
    result.emplace_back(first, first + threads);
  }
  return result;
}

void append(Ranks& to, Ranks from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// The number of whole ranks that fit if no rank spans two of the smallest parts that can hold it.
int room(const Tree& tree, const Units& units, int threads) {
  const std::vector<Units> parts = tree.parts(units);
  const bool divide = parts.size() > 1 && std::any_of(parts.begin(), parts.end(), [&](auto& part) {
                        return size_of(part) >= threads;
                      });
  if (!divide) return size_of(units) / threads;
  return std::accumulate(parts.begin(), parts.end(), 0, [&](int sum, const Units& part) {
    return sum + room(tree, part, threads);
  });
}

Ranks pack(const Tree& tree, const Units& units, int ranks, int threads) {
  const std::vector<Units> parts = tree.parts(units);
  if (parts.size() < 2 || room(tree, units, threads) < ranks)
    return in_order(units, ranks, threads);
  Ranks result;
  for (const Units& part : parts) {
    const int here = std::min(ranks - static_cast<int>(result.size()), room(tree, part, threads));
    if (here > 0) append(result, pack(tree, part, here, threads));
  }
  // Parts that are too small for a rank may hold one together.
  const bool whole = static_cast<int>(result.size()) == ranks;
  return whole ? result : in_order(units, ranks, threads);
}

/// The number of ranks in each part, dealt in turn while there is room; empty if there is not.
std::vector<int> even_shares(const std::vector<int>& rooms, int ranks) {
  std::vector<int> shares(rooms.size(), 0);
  int left = ranks;
  for (bool given = true; left > 0 && given;) {
    given = false;
    for (std::size_t part = 0; part < rooms.size() && left > 0; ++part) {
      if (shares[part] >= rooms[part]) continue;
      ++shares[part];
      --left;
      given = true;
    }
  }
  return left == 0 ? shares : std::vector<int>{};
}

Ranks spread(const Tree& tree, const Units& units, int ranks, int threads);

/// Fewer ranks than parts: each rank has some parts, and its threads are spread over them.
Ranks spread_threads(const Tree& tree, const std::vector<Units>& parts, int ranks, int threads) {
  Ranks result;
  const auto count = static_cast<int>(parts.size());
  for (int rank = 0; rank < ranks; ++rank) {
    Units own;
    for (int part = rank * count / ranks; part < (rank + 1) * count / ranks; ++part) {
      const Units& units = parts[static_cast<std::size_t>(part)];
      own.insert(own.end(), units.begin(), units.end());
    }
    if (size_of(own) < threads) return {};
    Units merged;
    for (const Units& one : spread(tree, own, threads, 1)) merged.push_back(one.front());
    result.push_back(std::move(merged));
  }
  return result;
}

Ranks spread(const Tree& tree, const Units& units, int ranks, int threads) {
  const std::vector<Units> parts = tree.parts(units);
  if (parts.size() < 2) return in_order(units, ranks, threads);
  if (ranks < static_cast<int>(parts.size()) && threads > 1) {
    Ranks result = spread_threads(tree, parts, ranks, threads);
    return result.empty() ? pack(tree, units, ranks, threads) : result;
  }
  std::vector<int> rooms;
  for (const Units& part : parts) rooms.push_back(room(tree, part, threads));
  const std::vector<int> shares = even_shares(rooms, ranks);
  if (shares.empty()) return pack(tree, units, ranks, threads);
  Ranks result;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (shares[part] > 0) append(result, spread(tree, parts[part], shares[part], threads));
  }
  return result;
}

}  // namespace

std::vector<std::vector<int>> groups_of(const Topology& node, const Place& place) {
  std::vector<std::vector<int>> groups;
  const auto add = [&](const std::vector<int>& cores) {
    std::vector<int> allowed;
    for (const int core : cores) {
      if (node.core_allowed(core)) allowed.push_back(core);
    }
    std::sort(allowed.begin(), allowed.end());
    if (!allowed.empty()) groups.push_back(std::move(allowed));
  };
  switch (place.kind) {
    case PlaceKind::node:
      add(node.allowed_cores());
      break;
    case PlaceKind::package:
      for (const machine::Package& package : node.packages) add(package.cores);
      break;
    case PlaceKind::numa:
      for (const machine::NumaNode& numa : node.numa_nodes) add(numa.cores);
      break;
    case PlaceKind::core:
      for (const int core : node.allowed_cores()) groups.push_back({core});
      break;
    case PlaceKind::cache: {
      int level = place.cache_level;
      for (const machine::Cache& cache : node.caches) {
        if (place.cache_level == 0) level = std::max(level, cache.level);
      }
      for (const machine::Cache& cache : node.caches) {
        if (cache.level == level) add(cache.cores);
      }
      break;
    }
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

std::vector<Units> packed_units(const Topology& node, const Units& units, int ranks, int threads) {
  return pack(Tree(node), units, ranks, threads);
}

std::vector<Units> spread_units(const Topology& node, const Units& units, int ranks, int threads) {
  return spread(Tree(node), units, ranks, threads);
}

}  // namespace plait::placement
