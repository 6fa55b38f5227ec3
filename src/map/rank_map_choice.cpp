// SPDX-License-Identifier: BSD-3-Clause
// The choice of ranks along each axis and of the block of a node: few cells between nodes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>

#include "map/rank_map.hpp"
#include "plait/error.hpp"

namespace plait::map {
namespace {

// Limits of the search, so that 100 000 ranks take well below a second: (dims, block) pairs that
// are listed, and ranks that are visited to count cells exactly.
constexpr std::int64_t pairs_listed = 300'000;
constexpr std::int64_t ranks_visited = 8'000'000;

std::int64_t product(const Int3& v) {
  return std::int64_t{v[0]} * v[1] * v[2];
}

std::string text(const Int3& v) {
  return std::to_string(v[0]) + "x" + std::to_string(v[1]) + "x" + std::to_string(v[2]);
}

std::vector<int> divisors(int n) {
  std::vector<int> result;
  for (int i = 1; std::int64_t{i} * i <= n; ++i) {
    if (n % i != 0) continue;
    result.push_back(i);
    if (i != n / i) result.push_back(n / i);
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// All triples with that product, each number at most limit[d] and equal to fixed[d] unless 0.
std::vector<Int3> factorisations(int n, const Int3& limit, const Int3& fixed) {
  const auto fits = [&](int value, std::size_t d) {
    return value <= limit[d] && (fixed[d] == 0 || value == fixed[d]);
  };
  std::vector<Int3> result;
  for (const int x : divisors(n)) {
    if (!fits(x, 0)) continue;
    for (const int y : divisors(n / x)) {
      if (fits(y, 1) && fits(n / x / y, 2)) result.push_back({x, y, n / x / y});
    }
  }
  return result;
}

struct Candidate {
  Int3 dims{};
  Int3 node_dims{};
  double between_nodes = 0;  ///< cells; an estimate unless exact
  double between_ranks = 0;  ///< cells
  bool exact = false;

  /// The order of preference: x, then y, is cut last among equals.
  [[nodiscard]] auto key() const {
    return std::tie(between_nodes, between_ranks, dims[0], dims[1], node_dims);
  }
};

/// The grid, and the nodes as far as a block map sees them: their sizes.
class Search {
public:
  Search(const Int3& cells, const std::array<bool, 3>& periodic, std::span<const int> node_of_rank,
         Blocks blocks)
      : cells_(cells), periodic_(periodic), node_of_rank_(node_of_rank), blocks_(blocks) {
    for (const int node : node_of_rank) {
      if (static_cast<std::size_t>(node) >= capacity_.size()) {
        capacity_.resize(static_cast<std::size_t>(node) + 1, 0);
      }
      ++capacity_[static_cast<std::size_t>(node)];
    }
    std::erase(capacity_, 0);
  }

  [[nodiscard]] std::vector<Candidate> candidates(const std::vector<Int3>& all_dims) const {
    const auto ranks = static_cast<std::int64_t>(node_of_rank_.size());
    const bool all_blocks = ranks * static_cast<std::int64_t>(all_dims.size()) <= pairs_listed;
    std::vector<Candidate> result;
    for (const Int3& dims : all_dims) {
      if (capacity_.size() == 1 || blocks_ == Blocks::row_major) {
        result.push_back(estimated(dims, dims));
      } else if (all_blocks) {
        for (int x = 1; x <= dims[0]; ++x) {
          for (int y = 1; y <= dims[1]; ++y) {
            for (int z = 1; z <= dims[2]; ++z) result.push_back(estimated(dims, {x, y, z}));
          }
        }
      } else {
        result.push_back(estimated(dims, dims));
        for (const Int3& block : capacity_blocks(dims)) result.push_back(estimated(dims, block));
      }
    }
    return result;
  }

  /// Counts what the map of a candidate really sends.
  void count(Candidate& candidate) const {
    const RankCoordinates map =
        blocks_ == Blocks::row_major
            ? row_major_map(candidate.dims)
            : node_blocked_map(candidate.dims, candidate.node_dims, node_of_rank_);
    candidate.between_nodes = static_cast<double>(
        cross_node(map, candidate.dims, cells_, periodic_, node_of_rank_).cells);
    candidate.exact = true;
  }

private:
  /// Blocks that hold just the ranks of the largest node, or of the smallest.
  [[nodiscard]] std::vector<Int3> capacity_blocks(const Int3& dims) const {
    const auto [smallest, largest] = std::minmax_element(capacity_.begin(), capacity_.end());
    std::vector<Int3> result = factorisations(*largest, dims, {});
    if (*smallest != *largest) {
      const std::vector<Int3> more = factorisations(*smallest, dims, {});
      result.insert(result.end(), more.begin(), more.end());
    }
    return result;
  }

  /// Cells sent over the planes that cut the grid into blocks of (real) extents `block`, counted
  /// in subdomains: each plane is a whole cross-section of the grid, passed in both directions.
  [[nodiscard]] double over_planes(const Int3& dims, const std::array<double, 3>& block) const {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double parts = dims[d] / block[d];
      if (parts <= 1) continue;
      const double section = static_cast<double>(product(cells_)) / cells_[d];
      sum += 2 * section * (periodic_[d] ? parts : parts - 1);
    }
    return sum;
  }

  [[nodiscard]] Candidate estimated(const Int3& dims, const Int3& node_dims) const {
    Candidate candidate{dims, node_dims, 0, over_planes(dims, {1, 1, 1}), false};
    const auto [smallest, largest] = std::minmax_element(capacity_.begin(), capacity_.end());
    if (capacity_.size() == 1) {
      candidate.exact = true;
      return candidate;
    }
    // The part of the grid that an average node gets out of subdomain_map's order: some blocks one
    // after the other where a block is smaller than a node, else a slice of one.
    const double mean =
        static_cast<double>(node_of_rank_.size()) / static_cast<double>(capacity_.size());
    std::array<double, 3> part{};
    for (std::size_t d = 0; d < 3; ++d) part[d] = node_dims[d];
    double factor = mean / static_cast<double>(product(node_dims));
    for (std::size_t d = 3; d-- > 0 && factor > 1;) {
      const double grown = std::min(part[d] * factor, static_cast<double>(dims[d]));
      factor *= part[d] / grown;
      part[d] = grown;
    }
    for (std::size_t d = 0; d < 3 && factor < 1; ++d) {
      const double shrunk = std::max(part[d] * factor, 1.0);
      factor *= part[d] / shrunk;
      part[d] = shrunk;
    }
    candidate.between_nodes = over_planes(dims, part);
    bool aligned = *smallest == *largest && product(node_dims) == *largest;
    for (std::size_t d = 0; d < 3; ++d) aligned = aligned && dims[d] % node_dims[d] == 0;
    candidate.exact = aligned && blocks_ == Blocks::of_nodes;
    return candidate;
  }

  Int3 cells_;
  std::array<bool, 3> periodic_;
  std::span<const int> node_of_rank_;
  Blocks blocks_;
  std::vector<int> capacity_;  ///< ranks of each node
};

std::vector<Int3> possible_dims(const Int3& cells, const Int3& fixed, int ranks) {
  std::int64_t given = 1;
  bool all_given = true;
  for (std::size_t d = 0; d < 3; ++d) {
    if (fixed[d] < 0) {
      throw Error("ranks " + text(fixed), "a number of ranks is negative",
                  "give 0 to have it chosen");
    }
    if (fixed[d] > cells[d]) {
      throw Error("ranks " + text(fixed),
                  std::to_string(fixed[d]) + " ranks along " + "xyz"[d] + ", where the grid has " +
                      std::to_string(cells[d]) + " cells",
                  "use fewer ranks or a larger grid");
    }
    if (fixed[d] > ranks) {
      throw Error("ranks " + text(fixed),
                  "more than the " + std::to_string(ranks) + " that the program runs on",
                  "start as many, or give 0 for an axis to have it chosen");
    }
    all_given = all_given && fixed[d] != 0;
    given *= std::max(fixed[d], 1);
  }
  if (all_given && given != ranks) {
    throw Error(
        "ranks " + text(fixed),
        "they are " + std::to_string(given) + ", but the program runs on " + std::to_string(ranks),
        "start as many, or give 0 for an axis to have it chosen");
  }
  if (ranks % given != 0) {
    throw Error("ranks " + text(fixed),
                std::to_string(ranks) + " ranks cannot be divided by " + std::to_string(given),
                "give 0 for all axes to have them chosen");
  }
  std::vector<Int3> result = factorisations(ranks, cells, fixed);
  if (result.empty()) {
    throw Error("grid of " + text(cells) + " cells",
                "cannot be cut into " + std::to_string(ranks) +
                    " boxes of at least one cell on each axis" +
                    (given > 1 ? " with ranks " + text(fixed) : ""),
                "use fewer ranks or a larger grid");
  }
  return result;
}

}  // namespace

Decomposition choose_decomposition(const Int3& cells, const std::array<bool, 3>& periodic,
                                   const Int3& fixed, std::span<const int> node_of_rank,
                                   Blocks blocks) {
  const Search search(cells, periodic, node_of_rank, blocks);
  std::vector<Candidate> all =
      search.candidates(possible_dims(cells, fixed, static_cast<int>(node_of_rank.size())));
  const auto better = [](const Candidate& a, const Candidate& b) { return a.key() < b.key(); };
  std::sort(all.begin(), all.end(), better);

  // The most promising ones are counted; those whose estimate is exact need not be. The first is
  // kept in any case, so that there is one.
  std::int64_t visits = ranks_visited;
  const Candidate* best = nullptr;
  for (Candidate& candidate : all) {
    if (!candidate.exact) {
      visits -= static_cast<std::int64_t>(node_of_rank.size());
      if (visits < 0 && best != nullptr) continue;
      search.count(candidate);
    }
    if (best == nullptr || better(candidate, *best)) best = &candidate;
  }
  return {best->dims, best->node_dims};
}

}  // namespace plait::map
