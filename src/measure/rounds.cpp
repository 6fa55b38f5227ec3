// SPDX-License-Identifier: BSD-3-Clause
// Repeats measurements in rounds of random order until they have converged or time runs out.
#include "measure/rounds.hpp"

#include "base/statistics.hpp"
#include "measure/sizes.hpp"

namespace plait::measure {

RoundsResult sample_in_rounds(std::size_t cells, const RoundsPlan& plan, std::mt19937& random,
                              const std::function<double(std::size_t cell)>& sample) {
  const Deadline deadline(plan.seconds);
  RoundsResult result;
  result.samples.resize(cells);
  std::vector<bool> done(cells, false);
  for (int round = 0; round < plan.max_rounds; ++round) {
    bool any = false;
    for (const std::size_t cell : random_order(cells, random)) {
      if (done[cell]) continue;
      if (round > 0 && deadline.passed()) return result;
      std::vector<double>& samples = result.samples[cell];
      samples.push_back(sample(cell));
      done[cell] = converged(samples, plan.relative_width);
      if (done[cell]) ++result.converged;
      any = any || !done[cell];
    }
    if (!any) break;
  }
  return result;
}

}  // namespace plait::measure
