// SPDX-License-Identifier: BSD-3-Clause
// Repeats measurements in rounds of random order until they have converged or time runs out.
#include "measure/rounds.hpp"

#include <algorithm>
#include <utility>

#include "base/statistics.hpp"
#include "measure/sizes.hpp"

namespace plait::measure {
namespace {

/// All samples of a cell, and those that were not disturbed.
struct CellSamples {
  std::vector<double> all;
  std::vector<double> undisturbed;
};

RoundsResult chosen(std::vector<CellSamples> cells) {
  RoundsResult result;
  for (CellSamples& cell : cells) {
    const bool disturbed = cell.undisturbed.empty();
    std::vector<double>& samples = disturbed ? cell.all : cell.undisturbed;
    result.disturbed.push_back(disturbed ? static_cast<int>(samples.size()) : 0);
    result.samples.push_back(std::move(samples));
  }
  return result;
}

}  // namespace

RoundsResult sample_in_rounds(std::size_t cells, const RoundsPlan& plan, std::mt19937& random,
                              const std::function<Sample(std::size_t cell)>& sample) {
  const Deadline deadline(plan.seconds);
  std::vector<CellSamples> samples(cells);
  std::vector<bool> done(cells, false);
  bool in_time = true;
  for (int round = 0; in_time && round < plan.max_rounds; ++round) {
    bool any = false;
    for (const std::size_t cell : random_order(cells, random)) {
      if (done[cell]) continue;
      in_time = round == 0 || !deadline.passed();
      if (!in_time) break;
      const Sample taken = sample(cell);
      samples[cell].all.push_back(taken.value);
      if (taken.waited < kDisturbedSample) samples[cell].undisturbed.push_back(taken.value);
      done[cell] = converged(samples[cell].undisturbed, plan.relative_width);
      any = any || !done[cell];
    }
    if (!any) break;
  }
  RoundsResult result = chosen(std::move(samples));
  result.converged = static_cast<int>(std::count(done.begin(), done.end(), true));
  return result;
}

}  // namespace plait::measure
