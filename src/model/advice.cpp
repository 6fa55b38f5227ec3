// SPDX-License-Identifier: BSD-3-Clause
// Predicts the time of a recorded run if one thing were changed, with an interval. Assumes no more
// gain than the recorded figures support.
#include "model/advice.hpp"

#include <algorithm>
#include <cmath>

#include "plait/error.hpp"

namespace plait::model {
namespace {

Predicted between(double low_s, double high_s) {
  const auto [low, high] = std::minmax(std::max(0.0, low_s), std::max(0.0, high_s));
  return {(low + high) / 2, low, high};
}

}  // namespace

Predicted without_sharing(const SharedRun& run, const SpeedTable* speed) {
  const int now = std::max(1, run.cores_now), then = std::max(now, run.cores_then);
  const double together = speed == nullptr ? 1 : speed->at(then) / speed->at(now);
  const double slower = std::max(1.0, static_cast<double>(then) / now / together);
  const double longest = run.work_s * slower + run.work_and_mpi_s - run.work_s;
  return between(std::min(run.wall_s, run.outside_s * now / then + run.work_s),
                 std::min(run.wall_s, run.outside_s + longest));
}

Predicted with_threads(double wall_s, double regions_s, int ranks, int threads_now,
                       int threads_then, const SpeedTable& speed) {
  if (ranks < 1 || threads_now < 1 || threads_then < 1) {
    throw Error("threads", "a number of ranks or threads is less than 1", "give at least 1");
  }
  const double most = static_cast<double>(threads_now) / threads_then;
  const double least = speed.at(ranks * threads_now) / speed.at(ranks * threads_then);
  const double rest = wall_s - regions_s;
  return between(rest + regions_s * most, rest + regions_s * least);
}

Predicted with_faster_messages(double wall_s, double least_s, double most_s, double ratio_low,
                               double ratio_high) {
  return between(wall_s - most_s * (1 - 1 / ratio_high), wall_s - least_s * (1 - 1 / ratio_low));
}

std::optional<Predicted> by_replays(double wall_s, double recorded_s, const Predicted& as_recorded,
                                    const Predicted& changed) {
  if (as_recorded.s <= 0 || as_recorded.low_s <= 0 || as_recorded.high_s <= 0 || recorded_s <= 0) {
    return std::nullopt;
  }
  const double rest = std::max(0.0, wall_s - recorded_s);
  const double middle = changed.s / as_recorded.s;
  const auto [low, high] =
      std::minmax({middle, changed.low_s / as_recorded.low_s, changed.high_s / as_recorded.high_s});
  // If the replay of the recorded run is wrong by some factor, the difference may be as well.
  const double missed = std::abs(as_recorded.s / recorded_s - 1) * std::abs(1 - middle);
  return Predicted{rest + recorded_s * middle, rest + recorded_s * std::max(0.0, low - missed),
                   rest + recorded_s * (high + missed)};
}

Predicted beside_other_programs(const Predicted& of, double wall_s, double share) {
  const double later = wall_s * std::clamp(share, 0.0, 1.0);
  return {of.s + later / 2, of.low_s, of.high_s + later};
}

bool is_defended(double wall_s, const Predicted& after) {
  return after.s <= wall_s * (1 - kLeastGain) && after.high_s <= wall_s;
}

}  // namespace plait::model
