// SPDX-License-Identifier: BSD-3-Clause
// The table of host, rank, thread, core and NUMA domain, one line a thread, as xthi prints it.
#include "map/placement_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plait::map {
namespace {

/// "0-3,8", or "-" for nothing.
std::string list_text(const std::vector<int>& ids) {
  const std::string text = machine::CpuSet::of(ids).format();
  return text.empty() ? "-" : text;
}

}  // namespace

std::string placement_table(const PlacementInput& input) {
  std::size_t host_width = 4;
  for (const HostPlaces& host : input.hosts) host_width = std::max(host_width, host.name.size());
  std::string text = fmt::format("{:<{}}  {:>5}  {:>6}  {:<16}  {:<6}  {}\n", "host", host_width,
                                 "rank", "thread", "core", "NUMA", "cpus");
  for (const RankPlace& rank : input.ranks) {
    const HostPlaces& host = input.hosts[static_cast<std::size_t>(rank.host)];
    for (const ThreadPlace& thread : rank.threads) {
      const std::vector<int> cores = host.topology.cores_of(thread.allowed);
      text += fmt::format("{:<{}}  {:>5}  {:>6}  {:<16}  {:<6}  {}\n", host.name, host_width,
                          rank.rank, thread.thread, list_text(cores),
                          list_text(host.topology.numa_of(cores)), thread.allowed.format());
    }
  }
  return text;
}

}  // namespace plait::map
