// SPDX-License-Identifier: BSD-3-Clause
// All-to-all exchanges with fewer ranks per node, each with more threads.
#include "model/all_to_all.hpp"

#include <algorithm>

#include "model/hybrid_prediction.hpp"

namespace plait::model {

std::optional<double> all_to_all_s(const AllToAll& of, const LinkOfSize& network,
                                   const LinkOfSize& inside, Bound end) {
  const double ranks = static_cast<double>(of.nodes) * of.ranks_per_node;
  const double message = of.bytes_of_node / (of.ranks_per_node * ranks);
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
  const double staying = of.bytes_of_node / of.nodes;
  if (!add(network, of.bytes_of_node - staying, of.ranks_per_node, ranks - of.ranks_per_node) ||
      !add(inside, staying, of.copiers, of.ranks_per_node - 1)) {
    return std::nullopt;
  }
  return seconds;
}

std::vector<FewerRanks> fewer_ranks(const AllToAll& now, const LinkOfSize& network,
                                    const LinkOfSize& inside) {
  std::vector<FewerRanks> choices;
  for (int ranks = 1; ranks < now.ranks_per_node; ++ranks) {
    if (now.ranks_per_node % ranks != 0) continue;
    AllToAll then = now;
    then.ranks_per_node = ranks;
    const auto share = [&](Bound end) -> std::optional<double> {
      const auto before = all_to_all_s(now, network, inside, end);
      const auto after = all_to_all_s(then, network, inside, end);
      if (!before || !after || *before <= 0) return std::nullopt;
      return *after / *before;
    };
    const auto low = share(Bound::low), middle = share(Bound::value), high = share(Bound::high);
    if (!low || !middle || !high) continue;
    choices.push_back(
        {ranks,
         now.ranks_per_node / ranks,
         {*middle, std::min({*low, *middle, *high}), std::max({*low, *middle, *high})}});
  }
  std::ranges::stable_sort(choices, {}, [](const FewerRanks& of) { return of.share.s; });
  return choices;
}

}  // namespace plait::model
