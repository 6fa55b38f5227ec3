// SPDX-License-Identifier: BSD-3-Clause
// The collectives of a trace for a replay: pattern, root, participating members.
#include "replay/trace_collectives.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace plait::replay {
namespace {

using std::uint32_t;
using std::uint64_t;
using trace::kNone;

/// "MPI_Iallreduce_init" -> "allreduce".
std::string bare_name(const std::string& function) {
  std::string name = function.starts_with("MPI_") ? function.substr(4) : function;
  // In the name of a nonblocking call, an I precedes a lower-case letter.
  if (name.size() > 1 && name[0] == 'I' && std::islower(static_cast<unsigned char>(name[1])) != 0) {
    name.erase(0, 1);
  }
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// The bytes of a member, see Member::bytes.
uint64_t bytes_of(const trace::Operation& operation, Pattern pattern) {
  switch (pattern) {
    case Pattern::broadcast:
      return std::max(operation.bytes, operation.capacity);
    case Pattern::scatter:
      return operation.capacity;
    default:
      return operation.bytes;
  }
}

}  // namespace

std::optional<Pattern> pattern_of(const std::string& function) {
  struct Known {
    const char* prefix;
    Pattern pattern;
  };
  static constexpr Known known[] = {
      {"bcast", Pattern::broadcast},     {"reduce_scatter", Pattern::reduce_scatter},
      {"reduce", Pattern::reduce},       {"allreduce", Pattern::allreduce},
      {"gather", Pattern::gather},       {"scatter", Pattern::scatter},
      {"allgather", Pattern::allgather}, {"alltoall", Pattern::alltoall},
      {"scan", Pattern::scan},           {"exscan", Pattern::scan},
  };
  const std::string name = bare_name(function);
  if (name.starts_with("neighbor")) return std::nullopt;
  for (const Known& one : known) {
    if (name.starts_with(one.prefix)) return one.pattern;
  }
  return Pattern::barrier;
}

TraceCollectives::TraceCollectives(const trace::Trace& trace, const TraceThreads& threads)
    : trace_(trace), threads_(threads) {
  for (const std::string& function : trace.functions) patterns_.push_back(pattern_of(function));
  for (const trace::Comm& comm : trace.comms) {
    std::vector<uint32_t>& members = of_comm_.emplace_back();
    for (const auto* group : {&comm.members, &comm.remote_members}) {
      for (const int member : *group) members.push_back(static_cast<uint32_t>(member));
    }
    std::vector<uint32_t>& order = order_.emplace_back(members.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return members[a] < members[b]; });
  }
  for (uint32_t at = 0; at < trace.comms.size(); ++at) {
    const Lists& sources = trace.comms[at].sources;
    if (sources.empty()) continue;
    Lists& targets = targets_[at];
    targets.resize(sources.size());
    for (std::size_t member = 0; member < sources.size(); ++member) {
      for (const int source : sources[member]) {
        targets[static_cast<std::size_t>(source)].push_back(static_cast<int>(member));
      }
    }
  }
  steps_.resize(trace.collectives.size());
  for (uint32_t at = 0; at < steps_.size(); ++at) add(at);
}

void TraceCollectives::add(uint32_t index) {
  const trace::Collective& collective = trace_.collectives[index];
  if (collective.shape == kNone || collective.comm >= of_comm_.size()) return;
  const trace::Shape& shape = trace_.shapes[collective.shape];
  const auto pattern =
      shape.function < patterns_.size() ? patterns_[shape.function] : std::optional<Pattern>();
  if (!pattern) return;
  CollectiveStep& step = steps_[index];
  step.pattern = *pattern;
  const bool inter = !trace_.comms[collective.comm].remote_members.empty();
  // The members of two groups describe the data flow between them differently.
  if (inter) step.pattern = Pattern::allgather;
  const std::vector<uint32_t>& members = of_comm_[collective.comm];
  std::vector<uint32_t> seen;
  uint32_t root = kNone;
  uint64_t bytes = 0, largest = 0;
  for (uint32_t member = 0; member < members.size(); ++member) {
    const uint32_t number = trace_.members[collective.first_member + member];
    if (number == kNone || members[member] >= trace_.ranks.size()) continue;
    const trace::Operation& operation = trace_.ranks[members[member]].operations[number];
    const uint32_t thread = threads_.thread(members[member], operation.stream);
    if (thread == kNone) continue;
    if (!inter && shape.peer >= 0 && member == static_cast<uint32_t>(shape.peer)) {
      root = static_cast<uint32_t>(seen.size());
    }
    seen.push_back(thread);
    const uint64_t own = bytes_of(operation, step.pattern);
    bytes += own;
    largest = std::max(largest, own);
  }
  if (seen.empty()) return;
  step.bytes = step.pattern == Pattern::broadcast ? largest : bytes / seen.size();
  step.root = root == kNone ? 0 : root;
  if (seen == members) {
    step.members = &members;
    return;
  }
  // Without its root, a collective only synchronizes the recorded members.
  const bool has_root = shape.peer >= 0 && !inter;
  if (has_root && root == kNone) step.pattern = Pattern::barrier;
  step.members = &partial_.emplace_back(std::move(seen));
}

bool TraceCollectives::replayable(uint32_t collective) const {
  return collective < steps_.size() && steps_[collective].members != nullptr;
}

bool TraceCollectives::is_among_neighbors(uint32_t collective) const {
  const trace::Collective& of = trace_.collectives[collective];
  if (of.shape == kNone || !targets_.contains(of.comm)) return false;
  const uint32_t function = trace_.shapes[of.shape].function;
  return function < patterns_.size() && !patterns_[function];
}

std::vector<Neighbor> TraceCollectives::sources(uint32_t collective, uint32_t rank) const {
  return partners(collective, rank, false);
}

std::vector<Neighbor> TraceCollectives::targets(uint32_t collective, uint32_t rank) const {
  return partners(collective, rank, true);
}

std::vector<Neighbor> TraceCollectives::partners(uint32_t collective, uint32_t rank,
                                                 bool sends) const {
  const trace::Collective& of = trace_.collectives[collective];
  const Lists& targets = targets_.at(of.comm);
  const Lists& sources = trace_.comms[of.comm].sources;
  const std::vector<uint32_t>& members = of_comm_[of.comm];
  const uint32_t own = place_in(of.comm, rank);
  std::vector<Neighbor> partners;
  for (const int partner : (sends ? targets : sources)[own]) {
    const auto at = static_cast<uint32_t>(partner);
    const uint32_t number = trace_.members[of.first_member + at];
    if (at == own || number == kNone || members[at] >= trace_.ranks.size()) continue;
    const uint32_t thread =
        threads_.thread(members[at], trace_.ranks[members[at]].operations[number].stream);
    if (thread == kNone) continue;
    const uint32_t sender = sends ? own : at;
    const trace::Operation& send =
        trace_.ranks[members[sender]].operations[trace_.members[of.first_member + sender]];
    partners.push_back({thread, send.bytes / targets[sender].size()});
  }
  return partners;
}

CollectiveStep TraceCollectives::step(uint32_t collective) const {
  return steps_[collective];
}

uint32_t TraceCollectives::member(uint32_t collective, uint32_t thread) const {
  const std::vector<uint32_t>& members = *steps_[collective].members;
  if (thread < members.size() && members[thread] == thread) return thread;
  const uint32_t comm = trace_.collectives[collective].comm;
  if (&members != &of_comm_[comm]) {
    return static_cast<uint32_t>(std::ranges::find(members, thread) - members.begin());
  }
  return place_in(comm, thread);
}

uint32_t TraceCollectives::place_in(uint32_t comm, uint32_t rank) const {
  const std::vector<uint32_t>& members = of_comm_[comm];
  const std::vector<uint32_t>& order = order_[comm];
  return *std::lower_bound(order.begin(), order.end(), rank,
                           [&](uint32_t at, uint32_t wanted) { return members[at] < wanted; });
}

}  // namespace plait::replay
