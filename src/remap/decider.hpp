// SPDX-License-Identifier: BSD-3-Clause
// Decides after each interval whether ranks move, and judges what the last move has brought.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "remap/arrangement.hpp"

namespace plait::remap {

/// What a move has brought, seen in the intervals after it.
enum class Effect {
  unknown,  ///< the program ended, or it sent nothing or at changing rates before or after the move
  faster,
  not_faster,       ///< it was reverted
  another_pattern,  ///< other ranks communicated than before, so speeds cannot be compared
};

/// "unknown", "faster", "not_faster", "another_pattern".
const char* effect_name(Effect effect);

/// A decision to move ranks.
struct Move {
  bool revert = false;          ///< of the last move, which did not make the program faster
  std::vector<int> from, to;    ///< place of each rank
  double interval_s = 0;        ///< that was observed
  double predicted_gain_s = 0;  ///< in an interval as long; of a revert 0
  double cost_s = 0;            ///< of moving
  Effect effect = Effect::unknown;
  double speed = 0;  ///< messages per second after the move over those before; 0: unknown
  bool operator==(const Move&) const = default;
};

/// What a decision needs beyond its gain.
struct Caution {
  /// The least gain, as a fraction of the interval: less is not distinguished from noise.
  double least_gain = 0.01;
  /// The least similarity (cosine of the messages of all pairs) of two intervals of one pattern.
  double same_pattern = 0.9;
  /// The least ratio of the messages per second of two intervals of one phase.
  double same_rate = 2. / 3;
};

/// Decides for one node. A pure state machine: it depends on the intervals only.
class Decider {
public:
  /// @param costs   of `places.all`; must outlive this object
  Decider(const PlaceCosts& costs, Places places, Caution caution = {});

  /// The move that pays within the next interval if that is like this one: its predicted gain
  /// exceeds the cost of moving and Caution::least_gain. The ranks are then in its places.
  ///
  /// An interval that spans two phases is like neither. So nothing moves before two successive
  /// intervals are alike (pattern and messages per second), unless the program asks. Two such
  /// intervals after the move judge it: it is reverted if the program has sent no more messages per
  /// second in them than in the interval before. A reverted arrangement is not tried again while
  /// the pattern stays.
  /// @param interval  the ranks are those of `places.now`
  /// @param asked     the program asks for a decision by this interval alone
  std::optional<Move> decide(const Interval& interval, bool asked = false);

  /// The moves so far, the latest last.
  [[nodiscard]] const std::vector<Move>& moves() const { return moves_; }
  [[nodiscard]] const std::vector<int>& now() const { return now_; }
  [[nodiscard]] const Places& places() const { return places_; }

private:
  [[nodiscard]] bool same_pattern(const Interval& a, const Interval& b) const;
  /// True if they can be of one phase.
  [[nodiscard]] bool alike(const Interval& a, const Interval& b) const;
  /// Judges the last move, if this interval and the one before it can. @return true if it must be
  /// reverted
  bool judge(const Interval& interval);
  Move revert(const Interval& interval);
  [[nodiscard]] bool was_reverted(const std::vector<int>& to, const Interval& interval) const;
  std::optional<Move> move_that_pays(const Interval& interval) const;
  [[nodiscard]] double cost_of(const std::vector<int>& to) const;

  const PlaceCosts& costs_;
  Places places_;
  Caution caution_;
  std::vector<int> home_, now_;
  std::vector<Move> moves_;
  std::optional<Interval> previous_;  ///< the last interval, if no rank has moved since
  bool to_judge_ = false;             ///< the last move
  Interval before_;                   ///< the last move
  /// An arrangement that was reverted, and the interval in which it was not faster.
  struct Reverted {
    std::vector<int> to;
    Interval in;
  };
  std::vector<Reverted> reverted_;
};

/// The cosine of the messages of all pairs in two intervals: 1 for the same pattern, 0 for none in
/// common or no messages.
double similarity(const Interval& a, const Interval& b);

}  // namespace plait::remap
