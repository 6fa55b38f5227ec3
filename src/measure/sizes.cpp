// SPDX-License-Identifier: BSD-3-Clause
// The message sizes that are measured, and the random order in which a round visits them.
#include "measure/sizes.hpp"

#include <numeric>
#include <utility>

namespace plait::measure {

std::vector<std::uint64_t> message_sizes(std::uint64_t largest) {
  std::vector<std::uint64_t> sizes{0};
  for (std::uint64_t bytes = 1; bytes <= largest; bytes *= 2) sizes.push_back(bytes);
  return sizes;
}

std::vector<std::uint64_t> multi_pair_sizes() {
  return {8, 8192, 65536, 1048576};
}

std::vector<std::size_t> random_order(std::size_t count, std::mt19937& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Fisher and Yates; the slight bias of the remainder is of no concern for a few dozen sizes.
  for (std::size_t last = count; last > 1; --last) {
    std::swap(order[last - 1], order[random() % last]);
  }
  return order;
}

}  // namespace plait::measure
