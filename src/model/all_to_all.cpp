// SPDX-License-Identifier: BSD-3-Clause
// All-to-all exchanges with fewer ranks per node, each with more threads.
#include "model/all_to_all.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "model/hybrid_prediction.hpp"

namespace plait::model {
namespace {

/// The same exchanges with `factor` times fewer ranks per node; empty if the grid does not allow
/// that. Rows and columns are in the order in which they lose ranks.
std::vector<AllToAll> divided(std::vector<AllToAll> all, int factor) {
  int rest = factor;
  bool whole_nodes = false;
  for (AllToAll& of : all) {
    const bool whole_node = of.in_node == of.ranks_per_node;
    const int part = whole_node ? factor : std::gcd(of.in_node, rest);
    // Where all ranks of nodes exchange, the last node may have fewer.
    if (!whole_node && of.ranks % part != 0) return {};
    if (!whole_node) rest /= part;
    whole_nodes = whole_nodes || whole_node;
    of.ranks = (of.ranks + part - 1) / part;
    of.in_node /= part;
    of.ranks_per_node /= factor;
  }
  if (rest > 1 && !whole_nodes) return {};
  return all;
}

}  // namespace

std::optional<double> all_to_all_s(const AllToAll& of, const LinkOfSize& network,
                                   const LinkOfSize& inside, Bound end) {
  const double message = of.bytes_of_node / (static_cast<double>(of.ranks_per_node) * of.ranks);
  const auto size = static_cast<std::uint64_t>(std::max(1.0, message));
  double seconds = 0;
  const auto add = [&](const LinkOfSize& link_of_size, double bytes, int channels, double peers) {
    if (bytes <= 0) return true;
    const std::optional<Link> link = link_of_size(size);
    if (!link) return false;
    seconds += bytes / bandwidth_of(*link, channels, slowest_at(end)) +
               peers * value_at(link->latency_s, end);
    return true;
  };
  const double staying = of.bytes_of_node * of.in_node / of.ranks;
  if (!add(network, of.bytes_of_node - staying, of.ranks_per_node, of.ranks - of.in_node) ||
      !add(inside, staying, of.copiers, of.in_node - 1)) {
    return std::nullopt;
  }
  return seconds * of.calls;
}

std::vector<FewerRanks> fewer_ranks(std::vector<AllToAll> now, const LinkOfSize& network,
                                    const LinkOfSize& inside) {
  std::vector<FewerRanks> choices;
  if (now.empty()) return choices;
  std::ranges::stable_sort(now, std::ranges::greater(), &AllToAll::in_node);
  const auto seconds_of = [&](const std::vector<AllToAll>& all,
                              Bound end) -> std::optional<double> {
    double sum = 0;
    for (const AllToAll& of : all) {
      const std::optional<double> seconds = all_to_all_s(of, network, inside, end);
      if (!seconds) return std::nullopt;
      sum += *seconds;
    }
    return sum;
  };
  const int present = now.front().ranks_per_node;
  for (int ranks = 1; ranks < present; ++ranks) {
    if (present % ranks != 0) continue;
    const std::vector<AllToAll> then = divided(now, present / ranks);
    if (then.empty()) continue;
    const auto share = [&](Bound end) -> std::optional<double> {
      const auto before = seconds_of(now, end);
      const auto after = seconds_of(then, end);
      if (!before || !after || *before <= 0) return std::nullopt;
      return *after / *before;
    };
    const auto low = share(Bound::low), middle = share(Bound::value), high = share(Bound::high);
    if (!low || !middle || !high) continue;
    choices.push_back(
        {ranks,
         present / ranks,
         {*middle, std::min({*low, *middle, *high}), std::max({*low, *middle, *high})}});
  }
  std::ranges::stable_sort(choices, {}, [](const FewerRanks& of) { return of.share.s; });
  return choices;
}

}  // namespace plait::model
