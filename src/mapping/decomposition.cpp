// SPDX-License-Identifier: BSD-3-Clause
// Chooses the ranks along each axis of a grid and the block of a node, for few cells between nodes.
#include "mapping/decomposition.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>

#include "plait/error.hpp"

namespace plait::mapping {
namespace {

// Limits of the search, so that 100 000 ranks take well below a second: (dims, block) pairs to
// list, and ranks to visit when counting cells exactly.
constexpr std::int64_t pairs_listed = 300'000;
constexpr std::int64_t ranks_visited = 4'000'000;

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

struct CutCandidate {
  Int3 dims{};
  Int3 node_dims{};
  double between_nodes = 0;  ///< cells; an estimate unless exact
  double between_ranks = 0;  ///< cells
  bool exact = false;
  double misfit = 0;  ///< difference between the size of a block and the ranks of a node

  /// The order of preference. Among equals x is cut last, then y.
  [[nodiscard]] auto key() const {
    return std::tie(between_nodes, between_ranks, dims[0], dims[1], misfit, node_dims);
  }
};

/// The grid and the sizes of the nodes.
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
    smallest_ = *std::min_element(capacity_.begin(), capacity_.end());
    largest_ = *std::max_element(capacity_.begin(), capacity_.end());
  }

  /// Leaves out dims that send more than most_surface times the minimum between ranks.
  [[nodiscard]] std::vector<Int3> compact(std::vector<Int3> all_dims) const {
    const auto surface = [&](const Int3& dims) { return over_planes(dims, {1, 1, 1}); };
    double least = surface(all_dims.front());
    for (const Int3& dims : all_dims) least = std::min(least, surface(dims));
    std::erase_if(all_dims, [&](const Int3& dims) { return surface(dims) > most_surface * least; });
    return all_dims;
  }

  [[nodiscard]] std::vector<CutCandidate> candidates(const std::vector<Int3>& all_dims) const {
    const auto ranks = static_cast<std::int64_t>(node_of_rank_.size());
    const bool all_blocks = ranks * static_cast<std::int64_t>(all_dims.size()) <= pairs_listed;
    std::vector<CutCandidate> result;
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

  /// Counts exactly what the map of a candidate sends.
  void count(CutCandidate& candidate) const {
    const RankCoordinates map =
        blocks_ == Blocks::row_major
            ? row_major_map(candidate.dims)
            : node_blocked_map(candidate.dims, candidate.node_dims, node_of_rank_);
    candidate.between_nodes = static_cast<double>(
        cross_node(map, candidate.dims, cells_, periodic_, node_of_rank_).cells);
    candidate.exact = true;
  }

private:
  /// Blocks that hold exactly the ranks of the largest or of the smallest node.
  [[nodiscard]] std::vector<Int3> capacity_blocks(const Int3& dims) const {
    std::vector<Int3> result = factorisations(largest_, dims, {});
    if (smallest_ != largest_) {
      const std::vector<Int3> more = factorisations(smallest_, dims, {});
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

  [[nodiscard]] CutCandidate estimated(const Int3& dims, const Int3& node_dims) const {
    CutCandidate candidate;
    candidate.dims = dims;
    candidate.node_dims = node_dims;
    candidate.between_ranks = over_planes(dims, {1, 1, 1});
    if (capacity_.size() == 1) {
      candidate.exact = true;
      return candidate;
    }
    // The part of the grid that an average node gets from the order of subdomain_map: several
    // blocks in a row if a block is smaller than a node, else a slice of a block.
    const double mean =
        static_cast<double>(node_of_rank_.size()) / static_cast<double>(capacity_.size());
    candidate.misfit = std::abs(static_cast<double>(product(node_dims)) - mean);
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
    bool aligned = smallest_ == largest_ && product(node_dims) == largest_;
    for (std::size_t d = 0; d < 3; ++d) aligned = aligned && dims[d] % node_dims[d] == 0;
    candidate.exact = aligned && blocks_ == Blocks::of_nodes;
    return candidate;
  }

  Int3 cells_;
  std::array<bool, 3> periodic_;
  std::span<const int> node_of_rank_;
  Blocks blocks_;
  std::vector<int> capacity_;  ///< ranks of each node
  int smallest_ = 0;
  int largest_ = 0;
};

std::vector<Int3> possible_dims(const Int3& cells, const Int3& fixed, int ranks) {
  std::int64_t given = 1;
  bool all_given = true;
  for (std::size_t d = 0; d < 3; ++d) {
    if (fixed[d] < 0) {
      throw Error("ranks " + text(fixed), "a number of ranks is negative",
                  "set it to 0 to have it chosen");
    }
    if (fixed[d] > cells[d]) {
      throw Error("ranks " + text(fixed),
                  std::to_string(fixed[d]) + " ranks along " + "xyz"[d] + ", where the grid has " +
                      std::to_string(cells[d]) + " cells",
                  "use fewer ranks or a larger grid");
    }
    if (fixed[d] > ranks) {
      throw Error("ranks " + text(fixed),
                  "more than the " + std::to_string(ranks) + " ranks of the program",
                  "start more ranks, or set an axis to 0 to have it chosen");
    }
    all_given = all_given && fixed[d] != 0;
    given *= std::max(fixed[d], 1);
  }
  if (all_given && given != ranks) {
    throw Error("ranks " + text(fixed),
                "the product is " + std::to_string(given) + ", but the program has " +
                    std::to_string(ranks) + " ranks",
                "start " + std::to_string(given) + " ranks, or set an axis to 0 to have it chosen");
  }
  if (ranks % given != 0) {
    throw Error("ranks " + text(fixed),
                std::to_string(ranks) + " ranks cannot be divided by " + std::to_string(given),
                "set all axes to 0 to have them chosen");
  }
  std::vector<Int3> result = factorisations(ranks, cells, fixed);
  if (result.empty()) {
    throw Error("grid of " + text(cells) + " cells",
                "cannot be cut into " + std::to_string(ranks) +
                    " boxes of at least one cell on each axis" +
                    (fixed != Int3{} ? " with ranks " + text(fixed) : ""),
                "use fewer ranks or a larger grid");
  }
  return result;
}

}  // namespace

Decomposition choose_decomposition(const Int3& cells, const std::array<bool, 3>& periodic,
                                   const Int3& fixed, std::span<const int> node_of_rank,
                                   Blocks blocks) {
  const Search search(cells, periodic, node_of_rank, blocks);
  std::vector<CutCandidate> all = search.candidates(
      search.compact(possible_dims(cells, fixed, static_cast<int>(node_of_rank.size()))));
  const auto better = [](const CutCandidate& a, const CutCandidate& b) {
    return a.key() < b.key();
  };
  std::sort(all.begin(), all.end(), better);

  // If all are too many to count, count the most promising: an estimate seldom exceeds the count.
  // Always count the first, so that there is a result.
  const auto ranks = static_cast<std::int64_t>(node_of_rank.size());
  const bool all_counted = ranks * static_cast<std::int64_t>(all.size()) <= ranks_visited;
  std::int64_t visits = ranks_visited;
  const CutCandidate* best = nullptr;
  for (CutCandidate& candidate : all) {
    if (best != nullptr && !all_counted &&
        (visits < 0 || candidate.between_nodes > best->between_nodes)) {
      break;
    }
    if (!candidate.exact) {
      visits -= ranks;
      search.count(candidate);
    }
    if (best == nullptr || better(candidate, *best)) best = &candidate;
  }
  return {best->dims, best->node_dims};
}

}  // namespace plait::mapping
