// SPDX-License-Identifier: BSD-3-Clause
// Divides a grid among nodes and among the ranks of a node, and counts what each node exchanges:
// the rule behind Stengel's table 2.1.
#include "model/jacobi_decomposition.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "plait/error.hpp"

namespace plait::model {
namespace {

constexpr std::array<std::size_t, 3> kNodeOrder{0, 1, 2};
constexpr std::array<std::size_t, 3> kRankOrder{1, 2, 0};

std::vector<int> prime_factors_largest_first(int number) {
  std::vector<int> factors;
  for (int prime = 2; prime <= number / prime; ++prime) {
    for (; number % prime == 0; number /= prime) factors.push_back(prime);
  }
  if (number > 1) factors.push_back(number);
  std::reverse(factors.begin(), factors.end());
  return factors;
}

std::string text(const Extents& extents) {
  return std::to_string(extents[0]) + "x" + std::to_string(extents[1]) + "x" +
         std::to_string(extents[2]);
}

Extents cut(int number, const char* what, const Extents& cells,
            const std::array<std::size_t, 3>& order) {
  if (number < 1)
    throw Error(std::to_string(number), std::string("not a number of ") + what, "give at least 1");
  if (*std::min_element(cells.begin(), cells.end()) < 1) {
    throw Error(text(cells), "the grid has no cells", "give at least one cell along each axis");
  }
  Extents parts{1, 1, 1};
  for (const int factor : prime_factors_largest_first(number)) {
    std::size_t longest = order[0];
    for (const std::size_t axis : order) {
      // cells / parts compared without division
      if (std::int64_t{cells[axis]} * parts[longest] > std::int64_t{cells[longest]} * parts[axis]) {
        longest = axis;
      }
    }
    parts[longest] *= factor;
  }
  check_cut(number, what, cells, parts);
  return parts;
}

int neighbours_along(int parts) {
  return std::min(parts - 1, 2);
}

/// Product of the two other axes.
template <class Number>
Number across(const std::array<Number, 3>& extents, std::size_t axis) {
  return extents[(axis + 1) % 3] * extents[(axis + 2) % 3];
}

}  // namespace

void check_cut(int number, const std::string& what, const Extents& cells, const Extents& parts) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (parts[axis] > cells[axis]) {
      throw Error(std::to_string(number) + " " + what,
                  "would cut " + text(cells) + " cells into " + text(parts) +
                      " parts, more than there are cells along an axis",
                  "use fewer or a larger grid");
    }
  }
}

Extents parts_for_nodes(int nodes, const Extents& cells) {
  return cut(nodes, "nodes", cells, kNodeOrder);
}

Extents parts_for_ranks(int ranks, const Extents& cells) {
  return cut(ranks, "ranks", cells, kRankOrder);
}

NodeExchange node_exchange(const Extents& parts, const Extents& cells, const Extents& ranks) {
  NodeExchange total;
  const std::array<std::int64_t, 3> wide{cells[0], cells[1], cells[2]};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t face = across(wide, axis);
    const int neighbours = neighbours_along(parts[axis]);
    const int ranks_at_face = across(ranks, axis);
    total.max_neighbours += neighbours;
    total.communications += parts[axis] > 1 ? ranks_at_face : 0;
    total.messages += neighbours * ranks_at_face;
    total.face_cells += neighbours * face;
    const std::int64_t message = (face + ranks_at_face - 1) / ranks_at_face;
    if (neighbours > 0) {
      total.largest_message_cells = std::max(total.largest_message_cells, message);
    }
    const int inner = neighbours_along(ranks[axis]);
    total.inner_messages += inner;
    total.inner_cells += inner * message;
  }
  return total;
}

}  // namespace plait::model
