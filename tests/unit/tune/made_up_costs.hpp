// SPDX-License-Identifier: BSD-3-Clause
// A made-up table of costs of settings, and a search over it with noise.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tune/search.hpp"

namespace plait::tune {

/// A value of a setting: the factor by which it changes the time.
struct MadeUpValue {
  std::string group;
  double factor;
};

/// Settings of a program; the time of a set of values is the product of their factors, except that
/// the copy does not matter once the eager limit is raised.
struct MadeUpProgram {
  std::vector<MadeUpValue> values;

  [[nodiscard]] double seconds(const std::vector<int>& chosen) const {
    double time = 1;
    bool eager = false;
    for (const int at : chosen) {
      const MadeUpValue& value = values[static_cast<std::size_t>(at)];
      eager = eager || (value.group == "eager" && value.factor < 0.9);
    }
    for (const int at : chosen) {
      const MadeUpValue& value = values[static_cast<std::size_t>(at)];
      if (!(eager && value.group == "copy")) time *= value.factor;
    }
    return time;
  }

  /// The least time of all combinations, and how many there are: each group also has its default.
  [[nodiscard]] std::pair<double, std::size_t> exhaustive() const {
    std::vector<std::vector<int>> all{{}};
    for (std::size_t first = 0; first < values.size();) {
      std::size_t last = first;
      while (last < values.size() && values[last].group == values[first].group) ++last;
      const std::size_t before = all.size();
      for (std::size_t at = first; at < last; ++at) {
        for (std::size_t i = 0; i < before; ++i) {
          all.push_back(all[i]);
          all.back().push_back(static_cast<int>(at));
        }
      }
      first = last;
    }
    double best = 1;
    for (const std::vector<int>& chosen : all) best = std::min(best, seconds(chosen));
    return {best, all.size()};
  }
};

/// A program of which many settings matter: 5 x 3 x 3 x 6 x 7 x 2 combinations.
inline MadeUpProgram made_up_program() {
  return {{{"eager", 0.97},     {"eager", 0.80},     {"eager", 0.78},     {"eager", 0.81},
           {"copy", 0.93},      {"copy", 1.06},      {"fragment", 0.995}, {"fragment", 1.01},
           {"allreduce", 1.15}, {"allreduce", 0.91}, {"allreduce", 1.02}, {"allreduce", 0.96},
           {"allreduce", 1.30}, {"bcast", 1.04},     {"bcast", 1.00},     {"bcast", 0.94},
           {"bcast", 1.25},     {"bcast", 1.01},     {"bcast", 0.99},     {"yield", 1.40}}};
}

/// A program for which no setting matters.
inline MadeUpProgram indifferent_program() {
  MadeUpProgram program = made_up_program();
  for (MadeUpValue& value : program.values) value.factor = 1;
  return program;
}

/// Runs a search on a program whose times have noise of this relative size, and drift. A run takes
/// about a second of the budget.
inline Search searched(const MadeUpProgram& program, std::uint64_t seed, double noise = 0.02,
                       std::optional<double> budget_s = std::nullopt) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, noise);
  Search search;
  for (const MadeUpValue& value : program.values) search.groups.push_back(value.group);
  search.budget_s = budget_s;
  double drift = 0;
  while (const auto at = next_pair(search)) {
    Contest& contest = search.contests[*at];
    drift += 0.002 * normal(random) / noise;
    const auto time = [&](const std::vector<int>& chosen) {
      return program.seconds(chosen) * std::exp(drift + normal(random));
    };
    const double before = time(contest.before);
    contest.pairs.push_back({before, time(contest.after)});
    search.spent_s += contest.pairs.back()[0] + contest.pairs.back()[1];
  }
  return search;
}

}  // namespace plait::tune
