// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a node did in an interval, and how long the next one takes with other places.
#include "remap/arrangement.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mapping/search/random.hpp"

namespace plait::remap {
namespace {

/// Bandwidth of a core's own memory over that of another NUMA domain; 1.4 to 2 on common machines.
constexpr double kRemoteMemory = 1.5;
/// First arrangements of the search besides the present one.
constexpr int kStarts = 12;
/// Limit on the search, in flows that are looked at: well below a second.
constexpr double kMostWork = 1e8;

bool places_filled(const std::vector<Place>& places, const std::vector<int>& place_of) {
  std::vector<int> ranks(places.size(), 0);
  for (const int place : place_of) ++ranks[static_cast<std::size_t>(place)];
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (ranks[i] < places[i].least || ranks[i] > places[i].most) return false;
  }
  return true;
}

/// The ranks in this order, in the places in this order: first the least of each place, then as
/// evenly as possible, as many as fit.
std::vector<int> filled(const std::vector<Place>& places, const std::vector<int>& order_of_ranks,
                        const std::vector<int>& order_of_places) {
  std::vector<int> ranks(places.size(), 0);
  auto left = static_cast<int>(order_of_ranks.size());
  for (std::size_t i = 0; i < places.size(); ++i) left -= ranks[i] = places[i].least;
  while (left > 0) {
    const int before = left;
    for (const int place : order_of_places) {
      int& of = ranks[static_cast<std::size_t>(place)];
      if (left > 0 && of < places[static_cast<std::size_t>(place)].most) ++of, --left;
    }
    if (left == before) return {};
  }
  std::vector<int> place_of(order_of_ranks.size());
  std::size_t next = 0;
  for (const int place : order_of_places) {
    for (int i = 0; i < ranks[static_cast<std::size_t>(place)]; ++i) {
      place_of[static_cast<std::size_t>(order_of_ranks[next++])] = place;
    }
  }
  return place_of;
}

/// Improves an arrangement until no exchange and no move of a rank does.
class Climb {
public:
  Climb(const Prediction& prediction, const std::vector<Place>& places, double most_work)
      : prediction_(prediction), places_(places), most_work_(most_work) {}

  std::pair<Time, std::vector<int>> from(std::vector<int> start) {
    place_of_ = std::move(start);
    time_ = prediction_.time_of(place_of_);
    while (step() && work_ < most_work_) {
    }
    return {time_, place_of_};
  }

private:
  bool better() {
    work_ += static_cast<double>(prediction_.work());
    const Time time = prediction_.time_of(place_of_);
    if (!(time < time_)) return false;
    time_ = time;
    return true;
  }

  bool step() {
    bool any = false;
    for (std::size_t a = 0; a < place_of_.size() && work_ < most_work_; ++a) {
      for (std::size_t b = a + 1; b < place_of_.size(); ++b) {
        if (place_of_[a] == place_of_[b]) continue;
        std::swap(place_of_[a], place_of_[b]);
        if (better()) {
          any = true;
        } else {
          std::swap(place_of_[a], place_of_[b]);
        }
      }
      any = move(a) || any;
    }
    return any;
  }

  bool move(std::size_t rank) {
    bool any = false;
    for (std::size_t place = 0; place < places_.size(); ++place) {
      const int before = place_of_[rank];
      if (before == static_cast<int>(place) || places_[place].most == 0) continue;
      place_of_[rank] = static_cast<int>(place);
      if (places_filled(places_, place_of_) && better()) {
        any = true;
      } else {
        place_of_[rank] = before;
      }
    }
    return any;
  }

  const Prediction& prediction_;
  const std::vector<Place>& places_;
  double most_work_;
  double work_ = 0;
  std::vector<int> place_of_;
  Time time_;
};

}  // namespace

Prediction::Prediction(const PlaceCosts& costs, const Interval& interval, std::vector<int> home,
                       const std::vector<int>& now)
    : costs_(costs), interval_(interval), home_(std::move(home)), visible_(home_.size(), 1) {
  for (const double busy : interval.busy_s) {
    busy_.push_back(interval.seconds > 0 ? busy / interval.seconds : 0);
  }
  const std::vector<double> slow = costs.slowdowns(now, busy_);
  for (std::size_t rank = 0; rank < home_.size(); ++rank) {
    // Of one thread: the others compute at the same time.
    const double elapsed =
        std::min(interval.busy_s[rank], std::max(0.0, interval.seconds - interval.mpi_s[rank]));
    compute_.push_back(elapsed / slow[rank]);
  }
  const std::vector<double> modelled = waits(now);
  for (std::size_t rank = 0; rank < home_.size(); ++rank) {
    if (modelled[rank] > interval.mpi_s[rank])
      visible_[rank] = interval.mpi_s[rank] / modelled[rank];
  }
}

std::vector<double> Prediction::waits(const std::vector<int>& place_of) const {
  std::vector<double> waits(home_.size(), 0);
  for (const Flow& flow : interval_.flows) {
    const mapping::PathCost& path = costs_.path(place_of[static_cast<std::size_t>(flow.from)],
                                                place_of[static_cast<std::size_t>(flow.to)]);
    const auto to = static_cast<std::size_t>(flow.to);
    waits[to] += visible_[to] * (flow.messages * path.seconds + flow.bytes * path.seconds_per_byte);
  }
  return waits;
}

std::vector<double> Prediction::computations(const std::vector<int>& place_of) const {
  std::vector<double> times = costs_.slowdowns(place_of, busy_);
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    if (costs_.far_from(home_[rank], place_of[rank])) {
      times[rank] += kMemoryShare * (kRemoteMemory - 1);
    }
    times[rank] *= compute_[rank];
  }
  return times;
}

Time Prediction::time_of(const std::vector<int>& place_of) const {
  const std::vector<double> waiting = waits(place_of);
  const std::vector<double> computing = computations(place_of);
  Time time;
  for (std::size_t rank = 0; rank < waiting.size(); ++rank) {
    const double of_rank = waiting[rank] + computing[rank];
    time.slowest_s = std::max(time.slowest_s, of_rank);
    time.sum_s += of_rank;
  }
  return time;
}

std::vector<int> best_arrangement(const Prediction& prediction, const std::vector<Place>& places,
                                  const std::vector<int>& now) {
  std::vector<int> ranks(prediction.ranks()), order;
  std::iota(ranks.begin(), ranks.end(), 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].most > 0) order.push_back(static_cast<int>(i));
  }
  std::vector<std::vector<int>> starts;
  if (places_filled(places, now)) starts.push_back(now);
  mapping::Random random(1);
  for (int i = 0; i < kStarts; ++i) {
    starts.push_back(filled(places, ranks, order));
    for (std::size_t k = ranks.size(); k > 1; --k) {
      std::swap(ranks[k - 1], ranks[static_cast<std::size_t>(random.below(static_cast<int>(k)))]);
    }
    for (std::size_t k = order.size(); k > 1; --k) {
      std::swap(order[k - 1], order[static_cast<std::size_t>(random.below(static_cast<int>(k)))]);
    }
  }
  std::pair<Time, std::vector<int>> best{prediction.time_of(now), now};
  const double each = kMostWork / static_cast<double>(starts.size());
  for (std::vector<int>& start : starts) {
    if (start.empty()) continue;
    auto found = Climb(prediction, places, each).from(std::move(start));
    if (found.first < best.first) best = std::move(found);
  }
  return best.second;
}

}  // namespace plait::remap
