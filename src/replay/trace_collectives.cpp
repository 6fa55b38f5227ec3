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

TraceCollectives::TraceCollectives(const trace::Trace& trace) : trace_(trace) {
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
  uint64_t bytes = 0, largest = 0;
  for (uint32_t member = 0; member < members.size(); ++member) {
    const uint32_t number = trace_.members[collective.first_member + member];
    if (number == kNone || members[member] >= trace_.ranks.size()) continue;
    const trace::Operation& operation = trace_.ranks[members[member]].operations[number];
    if (operation.stream != 0) continue;
    seen.push_back(members[member]);
    const uint64_t own = bytes_of(operation, step.pattern);
    bytes += own;
    largest = std::max(largest, own);
  }
  if (seen.empty()) return;
  step.bytes = step.pattern == Pattern::broadcast ? largest : bytes / seen.size();
  if (!inter && shape.peer >= 0 && static_cast<std::size_t>(shape.peer) < members.size()) {
    step.root = static_cast<uint32_t>(shape.peer);
  }
  if (seen.size() == members.size()) {
    step.members = &members;
    return;
  }
  // Without its root, a collective only synchronizes the recorded members.
  const auto root = std::find(seen.begin(), seen.end(), members[step.root]);
  if (root == seen.end()) step.pattern = Pattern::barrier;
  step.root = root == seen.end() ? 0 : static_cast<uint32_t>(root - seen.begin());
  step.members = &partial_.emplace_back(std::move(seen));
}

bool TraceCollectives::replayable(uint32_t collective) const {
  return collective < steps_.size() && steps_[collective].members != nullptr;
}

CollectiveStep TraceCollectives::step(uint32_t collective) const {
  return steps_[collective];
}

uint32_t TraceCollectives::member(uint32_t collective, uint32_t rank) const {
  const std::vector<uint32_t>& members = *steps_[collective].members;
  if (rank < members.size() && members[rank] == rank) return rank;
  const uint32_t comm = trace_.collectives[collective].comm;
  if (&members != &of_comm_[comm]) {
    return static_cast<uint32_t>(std::find(members.begin(), members.end(), rank) - members.begin());
  }
  const std::vector<uint32_t>& order = order_[comm];
  return *std::lower_bound(order.begin(), order.end(), rank,
                           [&](uint32_t at, uint32_t wanted) { return members[at] < wanted; });
}

}  // namespace plait::replay
