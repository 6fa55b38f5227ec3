// SPDX-License-Identifier: BSD-3-Clause
// Medians of values that are spread over several processes.
#include "analysis/shared_medians.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "base/combine.hpp"
#include "base/parallel.hpp"

namespace plait::analysis {
namespace {

constexpr int kBits = 8;  // that one round finds
constexpr std::size_t kDigits = std::size_t{1} << kBits;

}  // namespace

// Values that are not negative have the order of their bits (IEEE 754), so that the highest bits of
// a median follow from the number of values with each combination of these bits.
std::vector<float> shared_medians(const std::vector<std::vector<float>>& lists, unsigned threads,
                                  Processes* processes) {
  std::vector<std::uint32_t> medians(lists.size());  // the bits found so far
  std::vector<std::uint64_t> below(lists.size());    // values with these bits before the median
  for (int shift = 32 - kBits; shift >= 0; shift -= kBits) {
    std::vector<std::uint64_t> counts(lists.size() * kDigits);
    for_each_index(
        lists.size(),
        [&](std::size_t list) {
          for (const float value : lists[list]) {
            const std::uint64_t bits = std::bit_cast<std::uint32_t>(value);
            if ((bits ^ medians[list]) >> (shift + kBits) != 0) continue;
            ++counts[list * kDigits + (bits >> shift) % kDigits];
          }
        },
        threads);
    combine(processes, counts, [](std::uint64_t count, std::uint64_t& sum) { sum += count; });
    for (std::size_t list = 0; list < lists.size(); ++list) {
      const std::uint64_t* const of = &counts[list * kDigits];
      const std::uint64_t all = std::accumulate(of, of + kDigits, std::uint64_t{0});
      if (all == 0) continue;  // the list is empty
      if (shift == 32 - kBits) below[list] = all / 2;
      std::uint32_t digit = 0;
      while (below[list] >= of[digit]) below[list] -= of[digit++];
      medians[list] |= digit << shift;
    }
  }
  std::vector<float> values;
  for (const std::uint32_t bits : medians) values.push_back(std::bit_cast<float>(bits));
  return values;
}

}  // namespace plait::analysis
