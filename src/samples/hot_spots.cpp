// SPDX-License-Identifier: BSD-3-Clause
// The functions in which a program spends most time, and those that differ between ranks.
#include "samples/hot_spots.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace plait::samples {
namespace {

constexpr double kConfident = 1.959964;  // of the normal distribution, 95 % are within
constexpr double kAlike = 0.03;          // of a function's time: what is left of it does not count
constexpr double kSure = 3;              // standard deviations
constexpr double kMostOfIt = 2.0 / 3;    // that a called function must have to be named instead

template <class Value>
const Value& at(const std::vector<Value>& values, int index) {
  return values[static_cast<std::size_t>(index)];
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

int index_of_most(const std::vector<double>& values) {
  return static_cast<int>(std::ranges::max_element(values) - values.begin());
}

/// Samples in code of one function itself.
struct Own {
  std::uint64_t samples = 0;
  std::vector<double> ranks;
  std::map<int, std::uint64_t> lines;
  std::map<int, std::uint64_t> threads;
};

class Code {
public:
  Code(const CallTree& tree, const std::vector<NodeCount>& counts, int ranks)
      : tree_(tree), ranks_(static_cast<std::size_t>(ranks)) {
    for (const NodeCount& count : counts) {
      const int rank = at(tree.threads, count.thread).rank;
      if (count.state != State::code || rank < 0 || rank >= ranks) continue;
      counts_.push_back(count);
      all_ += count.samples;
      totals_.resize(ranks_);
      totals_[static_cast<std::size_t>(rank)] += static_cast<double>(count.samples);
    }
  }

  [[nodiscard]] bool empty() const { return all_ == 0; }
  [[nodiscard]] std::uint64_t all() const { return all_; }
  [[nodiscard]] const std::vector<double>& totals() const { return totals_; }
  [[nodiscard]] const std::vector<NodeCount>& counts() const { return counts_; }
  [[nodiscard]] std::size_t ranks() const { return ranks_; }

  [[nodiscard]] std::map<int, Own> by_function() const {
    std::map<int, Own> found;
    for (const NodeCount& count : counts_) {
      const CallNode& node = at(tree_.nodes, count.node);
      Own& own = found[node.function];
      own.ranks.resize(ranks_);
      own.samples += count.samples;
      own.ranks[static_cast<std::size_t>(at(tree_.threads, count.thread).rank)] +=
          static_cast<double>(count.samples);
      if (node.line > 0) own.lines[node.line] += count.samples;
      own.threads[count.thread] += count.samples;
    }
    return found;
  }

private:
  const CallTree& tree_;
  std::size_t ranks_;
  std::uint64_t all_ = 0;
  std::vector<double> totals_;
  std::vector<NodeCount> counts_;
};

int key_of_most(const std::map<int, std::uint64_t>& counts) {
  int key = 0;
  std::uint64_t most = 0;
  for (const auto& [of, count] : counts) {
    if (count > most) key = of;
    most = std::max(most, count);
  }
  return key;
}

HotSpot spot_of(const CallTree& tree, const Code& code, int function, const Own& own) {
  HotSpot spot;
  spot.function = function;
  spot.line = key_of_most(own.lines);
  spot.share = share_of(own.samples, code.all());
  spot.seconds = static_cast<double>(own.samples) / tree.rate_hz;
  for (const double samples : own.ranks) spot.ranks_s.push_back(samples / tree.rate_hz);
  spot.worst_rank = index_of_most(own.ranks);
  const double mean = mean_of(own.ranks);
  if (mean > 0) spot.worst_ratio = at(own.ranks, spot.worst_rank) / mean;
  std::map<int, std::uint64_t> threads;
  for (const auto& [thread, samples] : own.threads) {
    const SampledThread& of = at(tree.threads, thread);
    if (of.rank == spot.worst_rank) threads[of.thread] += samples;
  }
  spot.worst_thread = key_of_most(threads);
  const int busiest = index_of_most(code.totals());
  const double excess = at(code.totals(), busiest) - mean_of(code.totals());
  if (excess > 0) spot.explains_imbalance = (at(own.ranks, busiest) - mean) / excess;
  return spot;
}

/// Follows the difference between a rank and the mean through the tree.
class Descent {
public:
  Descent(const CallTree& tree, const Code& code, int rank)
      : tree_(tree), code_(code), rank_(rank), inclusive_(tree.nodes.size()) {
    for (const NodeCount& count : code.counts()) {
      auto& of = inclusive_[static_cast<std::size_t>(count.node)];
      const bool is_rank = at(tree.threads, count.thread).rank == rank;
      of.all += static_cast<double>(count.samples);
      if (is_rank) of.rank += static_cast<double>(count.samples);
    }
    for (std::size_t i = tree.nodes.size(); i > 0; --i) {
      const int parent = tree.nodes[i - 1].parent;
      if (parent < 0) continue;
      inclusive_[static_cast<std::size_t>(parent)].all += inclusive_[i - 1].all;
      inclusive_[static_cast<std::size_t>(parent)].rank += inclusive_[i - 1].rank;
    }
  }

  std::optional<Difference> follow(double excess) {
    std::set<int> parents{-1};
    std::optional<Difference> found;
    for (;;) {
      const std::optional<Step> next = step(parents);
      if (!next || next->excess < kMostOfIt * excess) return found;
      const Function& function = at(tree_.functions, next->function);
      // Users look for a place of theirs, and not in what the C library does for it.
      const bool is_users = function.kind == "code" || function.kind == "python";
      if (is_users && (!found || differs_more(*next, *found))) {
        found = Difference{next->function, next->line, rank_,
                           next->rank,     next->mean, next->excess / excess};
      }
      parents = next->nodes;
    }
  }

private:
  struct Inclusive {
    double all = 0, rank = 0;
  };
  struct Step {
    int function = -1;
    int line = 0;
    double excess = 0, rank = 0, mean = 0;
    std::set<int> nodes;
  };

  /// Of functions that differ alike, the outermost has the cause: it calls the others. The called
  /// one differs more if the rest of its caller's samples is spread over the ranks more evenly.
  [[nodiscard]] bool differs_more(const Step& called, const Difference& caller) const {
    const auto ranks = static_cast<double>(code_.ranks());
    const double rest = ranks * (caller.mean_s - called.mean);
    if (rest < kAlike * ranks * caller.mean_s) return false;
    const double share = called.rank / (ranks * called.mean);
    const double noise = std::sqrt(rest * share * (1 - share));
    return caller.rank_s - called.rank < share * rest - kSure * noise;
  }

  [[nodiscard]] double excess_of(const Inclusive& of) const {
    return of.rank - of.all / static_cast<double>(code_.ranks());
  }

  /// Of the functions that the nodes call, the one with most of the difference.
  [[nodiscard]] std::optional<Step> step(const std::set<int>& parents) const {
    std::map<int, Step> steps;
    std::map<int, double> most;  // of a line, by function
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      const CallNode& node = tree_.nodes[i];
      if (!parents.contains(node.parent)) continue;
      Step& to = steps[node.function];
      const double excess = excess_of(inclusive_[i]);
      to.function = node.function;
      to.excess += excess;
      to.rank += inclusive_[i].rank;
      to.mean += inclusive_[i].all / static_cast<double>(code_.ranks());
      to.nodes.insert(static_cast<int>(i));
      if (node.line > 0 && excess > most[node.function]) {
        most[node.function] = excess;
        to.line = node.line;
      }
    }
    const auto best = std::ranges::max_element(
        steps, [](const auto& a, const auto& b) { return a.second.excess < b.second.excess; });
    if (best == steps.end()) return {};
    return best->second;
  }

  const CallTree& tree_;
  const Code& code_;
  int rank_;
  std::vector<Inclusive> inclusive_;
};

std::vector<HotSpot> hottest_of(const CallTree& tree, const std::vector<NodeCount>& counts,
                                int ranks, std::size_t most) {
  const Code code(tree, counts, ranks);
  std::vector<HotSpot> spots;
  if (code.empty()) return spots;
  for (const auto& [function, own] : code.by_function()) {
    spots.push_back(spot_of(tree, code, function, own));
  }
  std::ranges::stable_sort(
      spots, [](const HotSpot& a, const HotSpot& b) { return a.share.value > b.share.value; });
  if (spots.size() > most) spots.resize(most);
  return spots;
}

}  // namespace

Share share_of(std::uint64_t part, std::uint64_t all) {
  if (all == 0) return {0, 0, 1};
  const auto n = static_cast<double>(all);
  const double p = static_cast<double>(part) / n;
  const double z2 = kConfident * kConfident;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kConfident / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  // Rounding must not exclude the share itself.
  return {p, std::clamp(middle - half, 0.0, p), std::clamp(middle + half, p, 1.0)};
}

std::vector<HotSpot> hot_spots(const CallTree& tree, int ranks, std::size_t most) {
  return hottest_of(tree, tree.counts, ranks, most);
}

std::vector<HotSpot> hot_spots_of_phase(const CallTree& tree, int phase, int ranks,
                                        std::size_t most) {
  std::vector<NodeCount> counts;
  for (const PhaseCount& of : tree.phase_counts) {
    if (of.phase == phase) counts.push_back({of.node, of.thread, of.state, of.samples});
  }
  return hottest_of(tree, counts, ranks, most);
}

std::optional<Difference> difference(const CallTree& tree, int ranks) {
  const Code code(tree, tree.counts, ranks);
  if (code.empty() || ranks < 2) return {};
  const int rank = index_of_most(code.totals());
  const double most = at(code.totals(), rank), mean = mean_of(code.totals());
  // The number of samples of a rank varies by its square root.
  if (most - mean <= 2 * std::sqrt(most)) return {};
  std::optional<Difference> found = Descent(tree, code, rank).follow(most - mean);
  if (found) {
    found->rank_s /= tree.rate_hz;
    found->mean_s /= tree.rate_hz;
  }
  return found;
}

std::vector<std::uint64_t> samples_by_state(const CallTree& tree) {
  std::vector<std::uint64_t> samples(kStateNames.size());
  for (const NodeCount& count : tree.counts) {
    samples[static_cast<std::size_t>(count.state)] += count.samples;
  }
  return samples;
}

}  // namespace plait::samples
