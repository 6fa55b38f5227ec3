// SPDX-License-Identifier: BSD-3-Clause
// Finds the members that others wait for in each collective call.
#include "analysis/collective_arrivals.hpp"

#include <array>
#include <cctype>
#include <utility>

#include "base/combine.hpp"
#include "base/parallel.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

std::uint64_t key_of(std::uint32_t rank, std::uint32_t operation) {
  return std::uint64_t{rank} << 32U | operation;
}

}  // namespace

Gathering gathering_of(std::string_view function) {
  constexpr std::string_view kPrefix = "MPI_";
  if (!function.starts_with(kPrefix)) return Gathering::none;
  std::string name(function.substr(kPrefix.size()));
  for (const std::string_view suffix : {"_c", "_init"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  if (name.size() > 1 && name[0] == 'I' && std::islower(static_cast<unsigned char>(name[1])) != 0) {
    name.erase(0, 1);
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  }
  if (name == "Win_fence") return Gathering::fence;
  if (name.starts_with("Win_")) return Gathering::creation;
  if (name.starts_with("File_")) return Gathering::file;
  if (name.starts_with("Neighbor_")) return Gathering::neighbors;
  constexpr std::array<std::pair<std::string_view, Gathering>, 29> kKnown{{
      {"Barrier", Gathering::barrier},
      {"Allreduce", Gathering::n_to_n},
      {"Allgather", Gathering::n_to_n},
      {"Allgatherv", Gathering::n_to_n},
      {"Alltoall", Gathering::n_to_n},
      {"Alltoallv", Gathering::n_to_n},
      {"Alltoallw", Gathering::n_to_n},
      {"Reduce_scatter", Gathering::n_to_n},
      {"Reduce_scatter_block", Gathering::n_to_n},
      {"Comm_dup", Gathering::n_to_n},
      {"Comm_split", Gathering::n_to_n},
      {"Comm_create", Gathering::creation},
      {"Comm_dup_with_info", Gathering::creation},
      {"Comm_split_type", Gathering::creation},
      {"Cart_create", Gathering::creation},
      {"Cart_sub", Gathering::creation},
      {"Graph_create", Gathering::creation},
      {"Dist_graph_create", Gathering::creation},
      {"Dist_graph_create_adjacent", Gathering::creation},
      {"Intercomm_create", Gathering::creation},
      {"Intercomm_merge", Gathering::creation},
      {"Bcast", Gathering::from_root},
      {"Scatter", Gathering::from_root},
      {"Scatterv", Gathering::from_root},
      {"Reduce", Gathering::to_root},
      {"Gather", Gathering::to_root},
      {"Gatherv", Gathering::to_root},
      {"Scan", Gathering::prefix},
      {"Exscan", Gathering::prefix},
  }};
  for (const auto& [known, gathering] : kKnown) {
    if (name == known) return gathering;
  }
  return Gathering::none;
}

CollectiveArrivals::CollectiveArrivals(const trace::Trace& trace, const Lanes& lanes,
                                       const MessageEnds& messages, unsigned threads,
                                       Processes* processes)
    : trace_(trace), lanes_(lanes), messages_(messages), awaited_(trace.collectives.size()) {
  for (const std::string& function : trace.functions) gatherings_.push_back(gathering_of(function));
  for (std::uint32_t i = 0; i < trace.comms.size(); ++i) {
    const trace::Comm& comm = trace.comms[i];
    if (comm.sources.empty()) continue;
    std::vector<std::uint32_t>& member_of = member_of_[i];
    member_of.resize(trace.ranks.size());
    for (std::uint32_t at = 0; at < comm.members.size(); ++at) {
      if (comm.members[at] >= 0) member_of[static_cast<std::size_t>(comm.members[at])] = at;
    }
  }
  const std::vector<IndexRange> ranges = ranges_of(trace.collectives.size(), threads);
  for_each_index(
      ranges.size(),
      [&](std::size_t range) {
        find_equal(static_cast<std::uint32_t>(ranges[range].first),
                   static_cast<std::uint32_t>(ranges[range].last));
      },
      threads);
  if (trace.is_part) {
    combine(processes, awaited_, [](const Awaited& one, Awaited& last) { keep_last(one, last); });
    exchange_members(*processes);
  }
  for (std::uint32_t i = 0; i < trace.collectives.size(); ++i) {
    if (differs_by_member(i)) find_differing(i);
  }
}

/// Collective. Tells the others about own members where one arrival is not enough: the root's
/// process in calls with a root, and all where each member waits for others.
void CollectiveArrivals::exchange_members(Processes& processes) {
  std::vector<std::vector<FarMember>> of_processes(trace_.shares.size());
  for (std::uint32_t i = 0; i < trace_.collectives.size(); ++i) {
    if (!waits_for_arrivals(i)) continue;
    const Gathering gathering = this->gathering(i);
    const bool has_root = gathering == Gathering::from_root || gathering == Gathering::to_root;
    if (!has_root && !differs_by_member(i)) continue;
    const trace::Collective& of = trace_.collectives[i];
    const trace::Comm& comm = trace_.comms[of.comm];
    trace_.for_members(comm, [&](std::uint32_t member, int rank, std::uint32_t place) {
      const std::uint32_t operation = trace_.members[of.first_member + place];
      if (operation == kNone) return;
      const trace::Operation& part =
          trace_.ranks[static_cast<std::size_t>(rank)].operations[operation];
      const int root = has_root ? root_of(part) : -1;
      const FarMember own{i, member, arrival_of(static_cast<std::uint32_t>(rank), operation)};
      if (own.arrival.lane == kNone || (has_root && root < 0)) return;
      if (has_root) {
        of_processes[range_of(trace_.shares, static_cast<std::size_t>(root))].push_back(own);
      } else {
        for (std::vector<FarMember>& of_process : of_processes) of_process.push_back(own);
      }
    });
  }
  of_processes[trace_.process].clear();
  far_members_ = joined(swap_lists(processes, of_processes));
  std::ranges::sort(far_members_, {},
                    [](const FarMember& of) { return std::pair(of.collective, of.member); });
}

std::span<const CollectiveArrivals::FarMember> CollectiveArrivals::far_members_of(
    std::uint32_t collective) const {
  const auto first = std::ranges::lower_bound(far_members_, collective, {}, &FarMember::collective);
  const auto last = std::ranges::upper_bound(far_members_, collective, {}, &FarMember::collective);
  return {first, last};
}

bool CollectiveArrivals::differs_by_member(std::uint32_t collective) const {
  const std::uint32_t function = trace_.shapes[trace_.collectives[collective].shape].function;
  return has_two_groups(collective) ||
         (function < gatherings_.size() && gatherings_[function] == Gathering::prefix);
}

std::size_t CollectiveArrivals::member_of(std::uint32_t comm, std::uint32_t rank) const {
  return member_of_.at(comm)[rank];
}

int CollectiveArrivals::root_of(const trace::Operation& part) const {
  const trace::Shape& shape = trace_.shapes[part.shape];
  if (shape.comm >= trace_.comms.size() || shape.peer < 0) return -1;
  const std::vector<int>& members = trace_.comms[shape.comm].members;
  const auto root = static_cast<std::size_t>(shape.peer);
  return root < members.size() ? members[root] : -1;
}

/// Finds the awaited arrivals of those calls from `first` to `last` - 1 in which all members wait
/// for the same one. Goes through some calls of one member, then through those of the next, because
/// a member's calls are close to each other in memory.
void CollectiveArrivals::find_equal(std::uint32_t first, std::uint32_t last) {
  constexpr std::uint32_t kTogether = 64;
  while (first < last) {
    if (differs_by_member(first)) {
      ++first;
      continue;
    }
    const std::uint32_t comm = trace_.collectives[first].comm;
    std::uint32_t end = first + 1;
    while (end < last && end - first < kTogether && trace_.collectives[end].comm == comm &&
           !differs_by_member(end)) {
      ++end;
    }
    trace_.for_members(trace_.comms[comm],
                       [&](std::uint32_t member, int of_member, std::uint32_t place) {
                         for (std::uint32_t collective = first; collective < end; ++collective) {
                           const std::uint32_t operation =
                               trace_.members[trace_.collectives[collective].first_member + place];
                           if (operation == kNone || !waits_for_arrivals(collective)) continue;
                           const auto rank = static_cast<std::uint32_t>(of_member);
                           if (gathering(collective) == Gathering::from_root &&
                               root_of(trace_.ranks[rank].operations[operation]) != of_member) {
                             continue;
                           }
                           keep_last({arrival_of(rank, operation), member}, awaited_[collective]);
                         }
                       });
    first = end;
  }
}

bool CollectiveArrivals::waits_for_arrivals(std::uint32_t collective) const {
  if (trace_.shapes[trace_.collectives[collective].shape].function >= gatherings_.size()) {
    return false;
  }
  const Gathering gathering = this->gathering(collective);
  return gathering != Gathering::none && gathering != Gathering::neighbors;
}

/// The first of those that came at the same time stays.
void CollectiveArrivals::keep_last(const Arrival& arrival, Arrival& last) {
  if (arrival.lane != kNone && (last.lane == kNone || arrival.time > last.time)) last = arrival;
}

void CollectiveArrivals::keep_last(const Awaited& one, Awaited& last) {
  if (one.by.lane == kNone) return;
  const bool at_once = one.by.time == last.by.time && one.member < last.member;
  if (last.by.lane == kNone || one.by.time > last.by.time || at_once) last = one;
}

void CollectiveArrivals::find_differing(std::uint32_t collective) {
  if (!waits_for_arrivals(collective)) return;
  if (has_two_groups(collective)) {
    find_between_groups(collective);
    return;
  }
  struct Part {
    std::uint32_t member, operation;
    Arrival arrival;
  };
  std::vector<Part> parts;
  const trace::Collective& of = trace_.collectives[collective];
  trace_.for_members(trace_.comms[of.comm], [&](std::uint32_t member, int rank,
                                                std::uint32_t place) {
    const std::uint32_t operation = trace_.members[of.first_member + place];
    if (operation == kNone) return;
    parts.push_back({member, operation, arrival_of(static_cast<std::uint32_t>(rank), operation)});
  });
  for (const FarMember& far : far_members_of(collective)) {
    parts.push_back({far.member, kNone, far.arrival});
  }
  std::ranges::sort(parts, {}, &Part::member);
  Arrival& awaited = awaited_[collective].by;
  for (const Part& part : parts) {
    if (part.arrival.lane == kNone) continue;
    if (awaited.lane != kNone && part.operation != kNone) {
      before_[key_of(lanes_.all[part.arrival.lane].rank, part.operation)] = awaited;
    }
    keep_last(part.arrival, awaited);
  }
}

void CollectiveArrivals::find_between_groups(std::uint32_t collective) {
  const Gathering gathering = this->gathering(collective);
  const trace::Comm& comm = trace_.comms[trace_.collectives[collective].comm];
  const bool is_rooted = gathering == Gathering::from_root || gathering == Gathering::to_root;
  struct Part {
    Arrival arrival;
    std::uint32_t operation;
    bool in_first, is_root;
  };
  std::vector<bool> is_remote(trace_.ranks.size());
  for (const int member : comm.remote_members) {
    if (member >= 0) is_remote[static_cast<std::size_t>(member)] = true;
  }
  std::vector<Part> parts;
  Arrival last_of_first, last_of_remote, root;
  for_members(collective, [&](const Arrival& arrival, std::uint32_t operation) {
    const std::uint32_t rank = lanes_.all[arrival.lane].rank;
    const bool in_first = !is_remote[rank];
    const int peer = trace_.shapes[trace_.ranks[rank].operations[operation].shape].peer;
    const bool is_root = is_rooted && peer == PLAIT_ROOT_PEER;
    // The others of the root's group take no part.
    if (is_rooted && !is_root && peer < 0) return;
    parts.push_back({arrival, operation, in_first, is_root});
    if (is_root) root = arrival;
    keep_last(arrival, in_first ? last_of_first : last_of_remote);
  });
  for (const Part& part : parts) {
    const Arrival& last = part.in_first ? last_of_remote : last_of_first;
    const bool waits_for_last = gathering == Gathering::to_root ? part.is_root : !is_rooted;
    const Arrival awaited = waits_for_last                                       ? last
                            : gathering == Gathering::from_root && !part.is_root ? root
                                                                                 : Arrival{};
    if (awaited.lane == kNone) continue;
    in_other_group_[key_of(lanes_.all[part.arrival.lane].rank, part.operation)] = awaited;
  }
}

Arrival CollectiveArrivals::awaited_by(std::uint32_t rank, const trace::Operation& part) const {
  if (part.message == kNone) return {};
  const auto of_part = [&](const std::unordered_map<std::uint64_t, Arrival>& arrivals) {
    const auto operation = static_cast<std::uint32_t>(&part - trace_.ranks[rank].operations.data());
    const auto found = arrivals.find(key_of(rank, operation));
    return found == arrivals.end() ? Arrival{} : found->second;
  };
  if (has_two_groups(part.message)) return of_part(in_other_group_);
  const Gathering gathering = this->gathering(part.message);
  if (gathering == Gathering::prefix) return of_part(before_);
  if (gathering == Gathering::neighbors) {
    Arrival last;
    for_sources(rank, part.message, [&](const Arrival& arrival) { keep_last(arrival, last); });
    return last;
  }
  if (gathering == Gathering::to_root && root_of(part) != static_cast<int>(rank)) return {};
  return awaited_[part.message].by;
}

}  // namespace plait::analysis
