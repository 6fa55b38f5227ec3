// SPDX-License-Identifier: BSD-3-Clause
// Which way long messages go.
#include "transport/ways.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace plait::transport {

/// @return null if there is no memory for it
Ways::Known* Ways::known(uint32_t from, uint64_t bytes) noexcept {
  std::unique_ptr<Sizes>& sizes = peers_[from];
  if (sizes == nullptr) sizes.reset(new (std::nothrow) Sizes);
  if (sizes == nullptr) return nullptr;
  const auto bits = static_cast<uint32_t>(std::bit_width(bytes >> kLeastBits));
  return &(*sizes)[std::min(bits, kSizes - 1)];
}

Way Ways::best(const Known& known) noexcept {
  return static_cast<Way>(std::ranges::min_element(known.ns) - known.ns.begin());
}

Way Ways::choose(uint32_t from, uint64_t bytes) noexcept {
  Known* const known = this->known(from, bytes);
  if (known == nullptr) return Way::pull;
  const auto fewest = std::ranges::min_element(known->attempts);
  if (*fewest < kFirstAttempts) return static_cast<Way>(fewest - known->attempts.begin());
  const Way best = Ways::best(*known);
  if (++known->since < known->pause) return best;
  known->since = 0;
  known->pause = std::min(2 * known->pause, kMostPause);
  do {
    known->tried = static_cast<Way>((static_cast<uint32_t>(known->tried) + 1) % kWays);
  } while (known->tried == best);
  return known->tried;
}

void Ways::took(uint32_t from, uint64_t bytes, Way way, uint64_t ns) noexcept {
  Known* const known = this->known(from, bytes);
  if (known == nullptr) return;
  const Way before = best(*known);
  // Sizes within a factor of two are compared by their time per 4 KiB.
  const float time = static_cast<float>(ns) / static_cast<float>(std::max<uint64_t>(bytes, 1)) *
                     static_cast<float>(uint64_t{1} << kLeastBits);
  auto& attempts = known->attempts[static_cast<uint32_t>(way)];
  float& mean = known->ns[static_cast<uint32_t>(way)];
  // A process that lost its CPU makes single messages slow, so shorter times count more.
  mean = attempts == 0 ? time : mean + (time - mean) / (time < mean ? 2.0F : 8.0F);
  if (attempts < kFirstAttempts) ++attempts;
  if (best(*known) != before) known->pause = kLeastPause;
}

}  // namespace plait::transport
