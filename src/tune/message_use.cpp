// SPDX-License-Identifier: BSD-3-Clause
// The messages of a run that settings of an MPI library may change.
#include "tune/message_use.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "tune/collective_rules.hpp"

namespace plait::tune {
namespace {

/// Calls whose data differ by this factor may need different algorithms.
constexpr double kOtherSize = 16;

using OperationAndRanks = std::pair<std::string, int>;

std::map<int, int> communicator_sizes(const report::Profile& profile) {
  std::map<int, int> sizes;
  for (const report::CommunicatorRow& row : profile.communicators) sizes[row.id] = row.size;
  return sizes;
}

/// One use per call site, those with least data first.
std::map<OperationAndRanks, std::vector<CollectiveUse>> uses_of_sites(
    const report::Profile& profile, double ranks_s) {
  std::map<int, int> sizes = communicator_sizes(profile);
  std::map<OperationAndRanks, std::vector<CollectiveUse>> uses;
  for (const report::SiteRow& site : profile.sites) {
    const int ranks = sizes[site.communicator];
    if (site.count == 0 || ranks < 1) continue;
    CollectiveUse use;
    use.operation = site.call;
    use.ranks = ranks;
    use.share = site.time_s / ranks_s;
    use.calls = site.count;
    use.mean_bytes = static_cast<double>(site.bytes) / static_cast<double>(site.count);
    uses[{site.call, ranks}].push_back(use);
  }
  for (auto& [key, of] : uses) {
    std::sort(of.begin(), of.end(), [](const CollectiveUse& a, const CollectiveUse& b) {
      return a.mean_bytes < b.mean_bytes;
    });
  }
  return uses;
}

void merge(const CollectiveUse& from, CollectiveUse& into) {
  const auto calls = static_cast<double>(into.calls + from.calls);
  into.mean_bytes = (into.mean_bytes * static_cast<double>(into.calls) +
                     from.mean_bytes * static_cast<double>(from.calls)) /
                    calls;
  into.calls += from.calls;
  into.share += from.share;
}

/// Joins sites with similar amounts of data, and sets the borders between them.
std::vector<CollectiveUse> joined(const std::vector<CollectiveUse>& sites) {
  std::vector<CollectiveUse> uses;
  for (const CollectiveUse& site : sites) {
    if (!uses.empty() && site.mean_bytes < kOtherSize * std::max(1.0, uses.back().mean_bytes)) {
      merge(site, uses.back());
    } else {
      uses.push_back(site);
    }
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    uses[i].to_bytes = kAllSizes;
    if (i == 0) continue;
    const double border = std::sqrt(std::max(1.0, uses[i - 1].mean_bytes) * uses[i].mean_bytes);
    uses[i - 1].to_bytes = uses[i].from_bytes = static_cast<std::uint64_t>(border);
  }
  const auto largest = std::max_element(
      uses.begin(), uses.end(),
      [](const CollectiveUse& a, const CollectiveUse& b) { return a.share < b.share; });
  for (CollectiveUse& use : uses) use.is_largest_size = &use == &*largest;
  return uses;
}

bool is_collective(const std::string& call) {
  static constexpr std::array<const char*, 12> kNames{
      "MPI_Allreduce", "MPI_Bcast",     "MPI_Reduce",  "MPI_Alltoall",
      "MPI_Alltoallv", "MPI_Allgather", "MPI_Barrier", "MPI_Allgatherv",
      "MPI_Gather",    "MPI_Scatter",   "MPI_Scan",    "MPI_Reduce_scatter"};
  return std::find(kNames.begin(), kNames.end(), call) != kNames.end();
}

}  // namespace

double MessageUse::share_of_sizes(double from_bytes, double to_bytes) const {
  double all = 0, inside = 0;
  for (const report::SizeRow& row : sizes) {
    const auto count = static_cast<double>(row.count), high = static_cast<double>(row.high_bytes);
    all += count;
    if (high > from_bytes && high <= to_bytes) inside += count;
  }
  return all > 0 ? inside / all : 0;
}

MessageUse message_use(const report::Profile& profile) {
  MessageUse use;
  double ranks_s = 0, mpi_s = 0, collective_s = 0;
  for (const report::RankRow& rank : profile.ranks) {
    ranks_s += rank.wall_s;
    mpi_s += rank.mpi_s;
  }
  if (ranks_s <= 0) return use;
  for (const report::SiteRow& site : profile.sites) {
    if (site.call.starts_with("MPI_File_")) use.file_share += site.time_s / ranks_s;
  }
  std::uint64_t messages = 0, remote = 0;
  for (const report::PeerClassRow& row : profile.peer_classes) {
    if (row.peer_class == "collective") collective_s += row.time_s;
    if (row.peer_class == "remote" || row.peer_class == "same_node") messages += row.count;
    if (row.peer_class == "remote") remote += row.count;
  }
  use.mpi_share = mpi_s / ranks_s;
  use.message_share = std::max(0.0, mpi_s - collective_s) / ranks_s;
  if (messages > 0) use.remote_share = static_cast<double>(remote) / static_cast<double>(messages);
  use.cpu_wait_share = profile.cpu_wait_fraction;
  use.threads_per_cpu = profile.contention.threads_per_cpu;
  use.nodes = profile.context.hosts.size();
  for (const report::HostRanks& host : profile.context.hosts) {
    use.ranks_per_node = std::max(use.ranks_per_node, host.ranks);
  }
  for (const report::SizeRow& row : profile.sizes) {
    if (row.kind == "point_to_point") use.sizes.push_back(row);
  }
  for (const auto& [key, sites] : uses_of_sites(profile, ranks_s)) {
    if (!is_collective(key.first)) continue;
    const std::vector<CollectiveUse> uses = joined(sites);
    use.collectives.insert(use.collectives.end(), uses.begin(), uses.end());
  }
  std::stable_sort(
      use.collectives.begin(), use.collectives.end(),
      [](const CollectiveUse& a, const CollectiveUse& b) { return a.share > b.share; });
  return use;
}

}  // namespace plait::tune
