// SPDX-License-Identifier: BSD-3-Clause
// The message sizes to measure, and the random order in which a round visits them.
#include "measure/sizes.hpp"

#include <algorithm>
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

std::vector<std::uint64_t> overhead_sizes() {
  return {0, 64, 512, 2048, 4096, 8192, 16384, 32768, 65536};
}

std::vector<std::uint64_t> back_to_back_sizes() {
  return {0, 8, 512, 4096, 16384, 65536, 262144};
}

int back_to_back_messages(std::uint64_t bytes) {
  constexpr std::uint64_t kTogether = std::uint64_t{4} << 20;
  return static_cast<int>(
      std::clamp<std::uint64_t>(kTogether / std::max<std::uint64_t>(1, bytes), 8, 64));
}

std::vector<std::uint64_t> collective_sizes(const std::vector<std::uint64_t>& wanted, int ranks) {
  constexpr std::uint64_t kMostMemory = std::uint64_t{64} << 20;
  std::vector<std::uint64_t> sizes;
  for (const std::uint64_t bytes :
       wanted.empty() ? std::vector<std::uint64_t>{8, 1024, 65536, 1048576} : wanted) {
    if (sizes.empty() || bytes * static_cast<std::uint64_t>(ranks) <= kMostMemory) {
      sizes.push_back(bytes);
    }
  }
  return sizes;
}

std::vector<std::size_t> random_order(std::size_t count, std::mt19937& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Fisher-Yates; the slight bias of the remainder does not matter for a few dozen sizes.
  for (std::size_t last = count; last > 1; --last) {
    std::swap(order[last - 1], order[random() % last]);
  }
  return order;
}

}  // namespace plait::measure
