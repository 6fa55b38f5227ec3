// SPDX-License-Identifier: BSD-3-Clause
// Finds the members that others wait for in each collective call.
#include "analysis/collective_arrivals.hpp"

#include <array>
#include <cctype>
#include <utility>

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
  constexpr std::array<std::pair<std::string_view, Gathering>, 19> kKnown{{
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

CollectiveArrivals::CollectiveArrivals(const trace::Trace& trace, const Lanes& lanes)
    : trace_(trace), lanes_(lanes), awaited_(trace.collectives.size()) {
  for (const std::string& function : trace.functions) gatherings_.push_back(gathering_of(function));
  for (std::uint32_t i = 0; i < trace.collectives.size(); ++i) find(i);
}

int CollectiveArrivals::root_of(const trace::Operation& part) const {
  const trace::Shape& shape = trace_.shapes[part.shape];
  if (shape.comm >= trace_.comms.size() || shape.peer < 0) return -1;
  const std::vector<int>& members = trace_.comms[shape.comm].members;
  const auto root = static_cast<std::size_t>(shape.peer);
  return root < members.size() ? members[root] : -1;
}

void CollectiveArrivals::find(std::uint32_t collective) {
  const trace::Collective& of = trace_.collectives[collective];
  if (trace_.shapes[of.shape].function >= gatherings_.size()) return;
  const Gathering gathering = this->gathering(collective);
  if (gathering == Gathering::none || !trace_.comms[of.comm].remote_members.empty()) return;
  Arrival& awaited = awaited_[collective];
  for_members(collective, [&](const Arrival& arrival, std::uint32_t operation) {
    const std::uint32_t rank = lanes_.all[arrival.lane].rank;
    if (gathering == Gathering::prefix && awaited.lane != kNone) {
      before_[key_of(rank, operation)] = awaited;
    }
    if (gathering == Gathering::from_root &&
        root_of(trace_.ranks[rank].operations[operation]) != static_cast<int>(rank)) {
      return;
    }
    if (awaited.lane == kNone || arrival.time > awaited.time) awaited = arrival;
  });
}

Arrival CollectiveArrivals::awaited_by(std::uint32_t rank, const trace::Operation& part) const {
  if (part.message == kNone || awaited_[part.message].lane == kNone) return {};
  const Gathering gathering = this->gathering(part.message);
  if (gathering == Gathering::to_root && root_of(part) != static_cast<int>(rank)) return {};
  if (gathering == Gathering::prefix) {
    const auto operation = static_cast<std::uint32_t>(&part - trace_.ranks[rank].operations.data());
    const auto found = before_.find(key_of(rank, operation));
    return found == before_.end() ? Arrival{} : found->second;
  }
  return awaited_[part.message];
}

}  // namespace plait::analysis
