// SPDX-License-Identifier: BSD-3-Clause
// Advice for programs that spend their time in all-to-all exchanges: fewer ranks with threads.
#include "advise/all_to_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>

#include "model/all_to_all.hpp"
#include "model/jacobi_inputs.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/units.hpp"

namespace plait::advise {
namespace {

/// Of the time of the ranks.
constexpr double kWorthLooking = 0.1;
/// Waits are those of exchanges if these are at least this part of all requests.
constexpr double kMostRequests = 0.9;
/// Messages that take more than this part of their time are not worth other ranks.
constexpr double kWorthChanging = 0.95;

struct Exchanges {
  double calls = 0, bytes = 0, time_s = 0;  ///< of all ranks
  bool waits_known = true;  ///< time_s has all waits; false: other requests share them
};

/// The roles that calls play for the time of all-to-all exchanges.
enum class Role {
  none,
  exchange,       ///< blocking, nonblocking or persistent
  completion,     ///< starts or completes requests of any kind
  other_request,  ///< creates requests that are not those of exchanges
};

bool is_persistent(std::string_view call) {
  return call.ends_with("_init") || call.ends_with("_init_c");
}

/// Exchanges with neighbours on a topology are other requests: they do not reach all ranks.
Role role_of(std::string_view call) {
  const auto starts_with_any = [&](std::initializer_list<std::string_view> beginnings) {
    return std::ranges::any_of(beginnings,
                               [&](auto beginning) { return call.starts_with(beginning); });
  };
  if (starts_with_any({"MPI_Alltoall", "MPI_Ialltoall"})) return Role::exchange;
  if (starts_with_any({"MPI_Wait", "MPI_Test", "MPI_Start", "MPI_Request_get_status"}) &&
      call != "MPI_Test_cancelled") {
    return Role::completion;
  }
  if (starts_with_any({"MPI_Init", "MPI_Info", "MPI_Inter", "MPI_Is_", "MPI_Iprobe", "MPI_Improbe",
                       "MPI_Session_"})) {
    return Role::none;
  }
  if (starts_with_any({"MPI_I", "MPI_Rput", "MPI_Rget", "MPI_Raccumulate", "MPI_File_i",
                       "MPI_Comm_i", "MPI_Grequest_start"}) ||
      is_persistent(call)) {
    return Role::other_request;
  }
  return Role::none;
}

/// Of MPI_Alltoall and the like. Those that only start are completed later. The waits are theirs if
/// the program has hardly any other requests; otherwise they are left out.
/// @return empty if there are none, or not all of them are on communicators of all ranks
std::optional<Exchanges> exchanges_of(const report::Profile& profile) {
  std::map<int, int> sizes;
  for (const report::CommunicatorRow& row : profile.communicators) sizes[row.id] = row.size;
  Exchanges all;
  double started = 0, others = 0, completions_s = 0;
  for (const report::SiteRow& site : profile.sites) {
    const auto count = static_cast<double>(site.count);
    if (site.count == 0) continue;
    const Role role = role_of(site.call);
    if (role == Role::completion) completions_s += site.time_s;
    // A persistent request may be started any number of times.
    if (role == Role::other_request && is_persistent(site.call)) all.waits_known = false;
    if (role == Role::other_request) others += count;
    if (role != Role::exchange) continue;
    if (sizes[site.communicator] != profile.world_size) return std::nullopt;
    all.calls += count;
    all.bytes += static_cast<double>(site.bytes);
    all.time_s += site.time_s;
    if (site.call.starts_with("MPI_I") || is_persistent(site.call)) started += count;
  }
  if (all.calls == 0) return std::nullopt;
  all.waits_known =
      started == 0 || (all.waits_known && started >= kMostRequests * (started + others));
  if (started > 0 && all.waits_known) all.time_s += completions_s;
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
  const std::string takes = fmt::format("MPI_Alltoall and the like take {}{} of the ranks' time",
                                        exchanges->waits_known ? "" : "at least ",
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
