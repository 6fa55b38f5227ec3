// SPDX-License-Identifier: BSD-3-Clause
// The model's times of a solver on two nodes, beside the measured ones.
#include "hybrid_prediction.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace plait::bench {
namespace {

/// A message between network namespaces, without added latency.
constexpr double kLatency_s = 50e-6;

model::HybridPrediction predicted(const model::HybridCase& of, int cores, double mbit,
                                  double flops_per_s) {
  model::HybridInputs inputs{model::SpeedTable::linear(flops_per_s, cores), cores, {}, {}};
  inputs.network = inputs.inside = [mbit](std::uint64_t) {
    const auto exactly = [](double value) { return model::Interval{value, value, value}; };
    const model::Interval rate = exactly(mbit * 125e3);
    return model::Link{exactly(kLatency_s), rate, rate};
  };
  return model::predict_hybrid(of.blocks, inputs);
}

double share(const model::HybridPrediction& of) {
  return of.pc.communicate_s / of.pc.total.s;
}

}  // namespace

void print_prediction(const model::HybridCase& of, int cores, int mbit, double flops_per_s) {
  const model::HybridPrediction time = predicted(of, cores, mbit, flops_per_s);
  const auto rate_with_share = [&](double wanted) {
    constexpr double kMost = 1e6, kStep = 1.05;
    double rate = 1;
    while (rate < kMost && share(predicted(of, cores, rate, flops_per_s)) > wanted) rate *= kStep;
    return rate;
  };
  fmt::print(
      "  model: pc {:.3f} s, tc {:.3f} to {:.3f} s; messages are {:.0f} % of pc, above 25 % below "
      "{:.0f} Mbit/s and above 50 % below {:.0f} Mbit/s\n",
      time.pc.total.s, time.tc.total.low_s, time.tc.total.s, 100 * share(time),
      rate_with_share(0.25), rate_with_share(0.5));
  std::fflush(stdout);
}

}  // namespace plait::bench
