// SPDX-License-Identifier: BSD-3-Clause
// Advice for programs that spend their time in all-to-all exchanges: fewer ranks with threads.
#include "advise/all_to_all.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

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
  std::vector<model::AllToAll> kinds;  ///< of communicators
  double time_s = 0;                   ///< of all ranks
  bool waits_known = true;             ///< time_s has all waits; false: other requests share them
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

/// Exchanges on communicators of the same size, such as all rows of pencils.
struct Kind {
  double calls = 0, bytes = 0;  ///< of all ranks
};
/// Ranks, ranks on a node, and the distance of the ranks, which tells rows and columns apart.
using KindOf = std::tuple<int, int, int>;

/// @return empty if it is not known how many of its ranks are on a node
std::optional<KindOf> kind_of(const report::CommunicatorRow& row, int all_ranks,
                              int ranks_per_node) {
  if (row.size == all_ranks) return KindOf{all_ranks, ranks_per_node, 1};
  if (row.on_node == 0) return std::nullopt;
  return KindOf{row.size, row.on_node, row.spacing};
}

/// Of MPI_Alltoall and the like. Those that only start are completed later. The waits are theirs if
/// the program has hardly any other requests; otherwise they are left out.
/// @return empty if there are none, or it is not known which ranks of a communicator share a node
std::optional<Exchanges> exchanges_of(const report::Profile& profile, int ranks_per_node) {
  std::map<int, const report::CommunicatorRow*> rows;
  for (const report::CommunicatorRow& row : profile.communicators) rows[row.id] = &row;
  std::map<KindOf, Kind> kinds;
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
    const auto row = rows.find(site.communicator);
    if (row == rows.end()) return std::nullopt;
    const auto kind = kind_of(*row->second, profile.world_size, ranks_per_node);
    if (!kind) return std::nullopt;
    kinds[*kind].calls += count;
    kinds[*kind].bytes += static_cast<double>(site.bytes);
    all.time_s += site.time_s;
    if (site.call.starts_with("MPI_I") || is_persistent(site.call)) started += count;
  }
  if (kinds.empty()) return std::nullopt;
  for (const auto& [of, kind] : kinds) {
    const auto& [ranks, in_node, spacing] = of;
    all.kinds.push_back({ranks, in_node, ranks_per_node, ranks_per_node,
                         kind.bytes / kind.calls * ranks_per_node, kind.calls});
  }
  all.waits_known =
      started == 0 || (all.waits_known && started >= kMostRequests * (started + others));
  if (started > 0 && all.waits_known) all.time_s += completions_s;
  return all;
}

/// "MPI_Alltoall and the like", with the communicators if these do not have all ranks.
std::string name_of(const Exchanges& exchanges, int all_ranks) {
  std::string name = "MPI_Alltoall and the like";
  std::set<int> sizes;
  for (const model::AllToAll& kind : exchanges.kinds) sizes.insert(kind.ranks);
  if (sizes == std::set{all_ranks}) return name;
  return fmt::format("{} (on communicators of {} ranks)", name, fmt::join(sizes, " and "));
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
  const std::optional<Exchanges> exchanges = exchanges_of(profile, ranks_per_node);
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
  const auto choices =
      model::fewer_ranks(exchanges->kinds, link(model::network_link), link(inside));
  if (choices.empty()) return {};
  const model::FewerRanks& best = choices.front();
  const std::string takes = fmt::format(
      "{} take {}{} of the ranks' time", name_of(*exchanges, profile.world_size),
      exchanges->waits_known ? "" : "at least ", format_percent(exchanges->time_s / rank_s));
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
