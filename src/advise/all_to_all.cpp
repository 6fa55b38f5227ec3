// SPDX-License-Identifier: BSD-3-Clause
// Advice for programs that spend their time in all-to-all exchanges: fewer ranks with threads.
#include "advise/all_to_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "model/all_to_all.hpp"
#include "model/jacobi_inputs.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/units.hpp"

namespace plait::advise {
namespace {

/// Of the time of the ranks.
constexpr double kWorthLooking = 0.1;
/// Messages that take more than this part of their time are not worth other ranks.
constexpr double kWorthChanging = 0.95;

struct Exchanges {
  double calls = 0, bytes = 0, time_s = 0;  ///< of all ranks
};

/// Of MPI_Alltoall and the like. MPI_Ialltoall is not among them: its time is that of its start.
/// @return empty if there are none, or not all of them are on communicators of all ranks
std::optional<Exchanges> exchanges_of(const report::Profile& profile) {
  std::map<int, int> sizes;
  for (const report::CommunicatorRow& row : profile.communicators) sizes[row.id] = row.size;
  Exchanges all;
  for (const report::SiteRow& site : profile.sites) {
    if (!site.call.starts_with("MPI_Alltoall") || site.count == 0) continue;
    if (sizes[site.communicator] != profile.world_size) return std::nullopt;
    all.calls += static_cast<double>(site.count);
    all.bytes += static_cast<double>(site.bytes);
    all.time_s += site.time_s;
  }
  if (all.calls == 0) return std::nullopt;
  return all;
}

std::string per_package(int ranks, const machine::MachineFile& machine) {
  const int packages = static_cast<int>(machine.topology.packages.size());
  if (packages < 2 || ranks % packages != 0) return "";
  return fmt::format(" ({} per package)", ranks / packages);
}

}  // namespace

std::vector<std::string> all_to_all_advice(const report::Profile& profile,
                                           const machine::MachineFile& machine,
                                           int ranks_per_node) {
  const std::optional<Exchanges> exchanges = exchanges_of(profile);
  const double rank_s = profile.wall_s * std::max(1, profile.ranks_recorded);
  if (!machine.measured || ranks_per_node < 2 || !exchanges ||
      exchanges->time_s < kWorthLooking * rank_s) {
    return {};
  }
  const auto link = [&](auto* of) {
    return [&machine, of](std::uint64_t bytes) { return of(*machine.measured, bytes); };
  };
  const auto inside =
      static_cast<std::optional<model::Link> (*)(const machine::Measured&, std::uint64_t)>(
          model::inside_link);
  const model::AllToAll now{std::max(1, static_cast<int>(profile.context.hosts.size())),
                            ranks_per_node, ranks_per_node,
                            exchanges->bytes / exchanges->calls * ranks_per_node};
  const auto choices = model::fewer_ranks(now, link(model::network_link), link(inside));
  if (choices.empty()) return {};
  const model::FewerRanks& best = choices.front();
  const std::string takes = fmt::format("MPI_Alltoall and the like take {} of the ranks' time",
                                        format_percent(exchanges->time_s / rank_s));
  if (best.share.high_s > kWorthChanging) {
    return {
        fmt::format("{}; fewer ranks per node with threads may not make their messages "
                    "faster: {} of the present time with {}",
                    takes, format_range(best.share.low_s, best.share.high_s, format_percent),
                    counted(best.ranks_per_node, "rank"))};
  }
  return {fmt::format(
      "{}; with {} per node{} and {} times the threads, their messages are predicted to take {} of "
      "the present time. This pays if the threads compute as fast as the ranks did",
      takes, counted(best.ranks_per_node, "rank"), per_package(best.ranks_per_node, machine),
      best.threads,
      format_interval(best.share.s, best.share.low_s, best.share.high_s, format_percent))};
}

}  // namespace plait::advise
