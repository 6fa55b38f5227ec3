// SPDX-License-Identifier: BSD-3-Clause
// Decides after each interval whether ranks move, and judges what the last move has brought.
#include "remap/decider.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace plait::remap {
namespace {

/// sched_setaffinity() of one rank: 6 us where its new core is idle, up to 2 ms where it is busy.
constexpr double kMoveS = 1e-4;

double messages_per_s(const Interval& interval) {
  double messages = 0;
  for (const Flow& flow : interval.flows) messages += flow.messages;
  return interval.seconds > 0 ? messages / interval.seconds : 0;
}

}  // namespace

const char* effect_name(Effect effect) {
  switch (effect) {
    case Effect::faster:
      return "faster";
    case Effect::not_faster:
      return "not_faster";
    case Effect::another_pattern:
      return "another_pattern";
    case Effect::unknown:
      break;
  }
  return "unknown";
}

double similarity(const Interval& a, const Interval& b) {
  std::map<std::pair<int, int>, double> of_a;
  double square_a = 0, square_b = 0, product = 0;
  for (const Flow& flow : a.flows) {
    of_a[{flow.from, flow.to}] = flow.messages;
    square_a += flow.messages * flow.messages;
  }
  for (const Flow& flow : b.flows) {
    square_b += flow.messages * flow.messages;
    if (const auto found = of_a.find({flow.from, flow.to}); found != of_a.end()) {
      product += flow.messages * found->second;
    }
  }
  return product > 0 ? product / std::sqrt(square_a * square_b) : 0;
}

Decider::Decider(const PlaceCosts& costs, Places places, Caution caution)
    : costs_(costs),
      places_(std::move(places)),
      caution_(caution),
      home_(places_.now),
      now_(places_.now) {}

bool Decider::same_pattern(const Interval& a, const Interval& b) const {
  return similarity(a, b) >= caution_.same_pattern;
}

bool Decider::alike(const Interval& a, const Interval& b) const {
  const auto [least, most] = std::minmax({messages_per_s(a), messages_per_s(b)});
  return most == 0 || (least >= caution_.same_rate * most && same_pattern(a, b));
}

bool Decider::judge(const Interval& interval) {
  Move& last = moves_.back();
  to_judge_ = messages_per_s(interval) > 0;
  if (!to_judge_) return false;
  if (!same_pattern(before_, interval)) {
    to_judge_ = false;
    last.effect = Effect::another_pattern;
    return false;
  }
  if (!previous_ || !alike(*previous_, interval)) return false;
  to_judge_ = false;
  // What disturbs a program only makes it slower.
  const double after = std::max(messages_per_s(*previous_), messages_per_s(interval));
  last.speed = after / messages_per_s(before_);
  last.effect = last.speed > 1 ? Effect::faster : Effect::not_faster;
  return last.effect == Effect::not_faster;
}

Move Decider::revert(const Interval& interval) {
  Move move;
  move.revert = true;
  move.from = now_;
  move.to = moves_.back().from;
  move.interval_s = interval.seconds;
  move.cost_s = cost_of(move.to);
  reverted_.push_back({now_, interval});
  return move;
}

bool Decider::was_reverted(const std::vector<int>& to, const Interval& interval) const {
  return std::any_of(reverted_.begin(), reverted_.end(), [&](const Reverted& reverted) {
    return reverted.to == to && same_pattern(reverted.in, interval);
  });
}

double Decider::cost_of(const std::vector<int>& to) const {
  // One after the other they are moved, and at the same time they fill their caches.
  double refill = 0, moves = 0;
  for (std::size_t rank = 0; rank < to.size(); ++rank) {
    if (to[rank] == now_[rank]) continue;
    moves += kMoveS;
    refill = std::max(refill, costs_.refill_s(now_[rank], to[rank]));
  }
  return moves + refill;
}

std::optional<Move> Decider::move_that_pays(const Interval& interval) const {
  const Prediction prediction(costs_, interval, home_, now_);
  Move move;
  move.from = now_;
  move.to = best_arrangement(prediction, places_.all, now_);
  move.interval_s = interval.seconds;
  move.predicted_gain_s =
      prediction.time_of(now_).slowest_s - prediction.time_of(move.to).slowest_s;
  move.cost_s = cost_of(move.to);
  const bool pays = move.predicted_gain_s > move.cost_s &&
                    move.predicted_gain_s > caution_.least_gain * interval.seconds;
  if (!pays || was_reverted(move.to, interval)) return std::nullopt;
  return move;
}

std::optional<Move> Decider::decide(const Interval& interval, bool asked) {
  std::optional<Move> move;
  const bool steady = previous_ && alike(*previous_, interval);
  if (to_judge_ && judge(interval)) {
    move = revert(interval);
  } else if (!to_judge_ && (steady || asked)) {
    move = move_that_pays(interval);
    to_judge_ = move.has_value() && steady && messages_per_s(interval) > 0;
    if (to_judge_) before_ = interval;
  }
  previous_ = interval;
  if (move) {
    previous_.reset();
    now_ = move->to;
    moves_.push_back(*move);
  }
  return move;
}

}  // namespace plait::remap
