// SPDX-License-Identifier: BSD-3-Clause
// What matters most in a trace, for the page's timeline.
#include "report/timeline_focus.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/combine.hpp"
#include "report/alike_ranks.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

constexpr std::size_t kMostOfEach = 12;

class Ranks {
public:
  explicit Ranks(std::vector<int>& found) : found_(found) {}

  void add(int rank) {
    if (rank >= 0 && std::find(found_.begin(), found_.end(), rank) == found_.end()) {
      found_.push_back(rank);
    }
  }
  void add(const json& ranks, std::size_t most) {
    for (std::size_t i = 0; i < std::min(most, ranks.size()); ++i) add(ranks[i].get<int>());
  }
  /// The field `name` of the first entries of a list.
  void add(const json& entries, const std::string& name) {
    for (std::size_t i = 0; i < std::min(kMostOfEach, entries.size()); ++i) {
      const json& rank = entries[i].at(name);
      if (rank.is_number()) add(rank.get<int>());
    }
  }

private:
  std::vector<int>& found_;
};

/// The middle of the phase that loses most time, s from the begin of the run; negative: unknown.
double worst_phase_s(const json& phases) {
  double most = 0, middle = -1;
  for (const json& phase : phases) {
    const json& parallel = phase.at("efficiencies").at("parallel");
    const double begin = phase.at("begin_s"), end = phase.at("end_s");
    const double lost = parallel.is_number() ? (1 - parallel.get<double>()) * (end - begin) : 0;
    if (lost > most) {
      most = lost;
      middle = (begin + end) / 2;
    }
  }
  return middle;
}

}  // namespace

std::int64_t end_of_longest_wait(const analysis::Waits& waits, Processes* processes) {
  struct Longest {
    std::int64_t length = -1, end = -1;
  };
  const auto add = [](const Longest& one, Longest& longest) {
    if (one.length > longest.length) longest = one;  // the first one of equal ones stays
  };
  std::vector<Longest> longest(1);
  for (const std::vector<analysis::Wait>& lane : waits.of) {
    for (const analysis::Wait& wait : lane) {
      add({wait.end - wait.begin, wait.end}, longest.front());
    }
  }
  combine(processes, longest, add);
  return longest.front().end;
}

TimelineFocus timeline_focus(const trace::Trace& trace, std::int64_t longest_wait,
                             const json& analysis, const std::vector<RankRow>& ranks) {
  TimelineFocus focus;
  if (longest_wait >= 0) focus.times.push_back(longest_wait);
  if (const double at_s = worst_phase_s(analysis.at("phases")); at_s >= 0) {
    focus.times.push_back(run_of(trace).begin + std::llround(at_s * 1e9));
  }
  Ranks found(focus.ranks);
  const json& causes = analysis.at("causes");
  found.add(causes, "rank");
  if (!causes.empty()) found.add(causes[0].at("delayed"), 4);
  found.add(analysis.at("waits"), "worst_rank");
  found.add(analysis.at("critical_path").at("owners"), "rank");
  for (const json& pattern : analysis.at("patterns")) found.add(pattern.at("ranks"), 2);
  for (const AlikeRanks& group : alike_ranks(ranks, kMostRankGroups)) found.add(group.typical);
  return focus;
}

}  // namespace plait::report
