// SPDX-License-Identifier: BSD-3-Clause
// The collectives of a trace for a replay: pattern, root, participating members.
#include "replay/trace_collectives.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <utility>

#include "base/combine.hpp"

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

/// The threads of a process that take part in some collectives.
struct ListsHere {
  std::vector<std::vector<uint32_t>> lists;
  std::vector<uint32_t> numbers;  ///< by collective: index into `lists`
};

template <class Archive>
void fields(Archive& archive, ListsHere& of) {
  archive(of.lists, of.numbers);
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

/// Of the members that are replayed.
struct TraceCollectives::Sums {
  uint64_t bytes = 0, largest = 0;
  uint32_t members = 0;
  uint32_t mains = 0;  ///< members that are main threads
};

TraceCollectives::TraceCollectives(const trace::Trace& trace, const TraceThreads& threads,
                                   Processes* processes)
    : trace_(trace), threads_(threads) {
  for (const std::string& function : trace.functions) patterns_.push_back(pattern_of(function));
  list_members();
  list_targets();
  Processes* const others = trace.is_part ? processes : nullptr;
  std::vector<Sums> sums;
  sums.reserve(trace.collectives.size());
  for (uint32_t at = 0; at < trace.collectives.size(); ++at) sums.push_back(sums_of(at));
  combine(others, sums, [](const Sums& some, Sums& sum) {
    sum.bytes += some.bytes;
    sum.largest = std::max(sum.largest, some.largest);
    sum.members += some.members;
    sum.mains += some.mains;
  });
  steps_.resize(sums.size());
  std::vector<uint32_t> partial;
  for (uint32_t at = 0; at < sums.size(); ++at) {
    if (add(at, sums[at])) partial.push_back(at);
  }
  list_participants(partial, others);
}

void TraceCollectives::list_members() {
  for (const trace::Comm& comm : trace_.comms) {
    std::vector<uint32_t>& members = of_comm_.emplace_back();
    for (const auto* group : {&comm.members, &comm.remote_members}) {
      for (const int member : *group) members.push_back(static_cast<uint32_t>(member));
    }
    std::vector<uint32_t>& order = order_.emplace_back(members.size());
    std::iota(order.begin(), order.end(), 0U);
    std::vector<uint32_t>& here = here_.emplace_back(order);
    if (trace_.is_part) {
      std::erase_if(here, [&](uint32_t at) { return !threads_.is_here(members[at]); });
    }
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return members[a] < members[b]; });
  }
}

void TraceCollectives::list_targets() {
  for (uint32_t at = 0; at < trace_.comms.size(); ++at) {
    const Lists& sources = trace_.comms[at].sources;
    if (sources.empty()) continue;
    Lists& targets = targets_[at];
    targets.resize(sources.size());
    for (std::size_t member = 0; member < sources.size(); ++member) {
      for (const int source : sources[member]) {
        targets[static_cast<std::size_t>(source)].push_back(static_cast<int>(member));
      }
    }
  }
}

/// Nothing: the collective cannot be replayed, or is one of neighbours.
std::optional<Pattern> TraceCollectives::pattern(const trace::Collective& collective) const {
  if (collective.shape == kNone || collective.comm >= of_comm_.size()) return {};
  const uint32_t function = trace_.shapes[collective.shape].function;
  if (function >= patterns_.size() || !patterns_[function]) return {};
  // The members of two groups describe the data flow between them differently.
  return is_between_groups(collective) ? Pattern::allgather : patterns_[function];
}

bool TraceCollectives::is_between_groups(const trace::Collective& collective) const {
  return !trace_.comms[collective.comm].remote_members.empty();
}

/// Index of the root among the communicator's members; kNone: there is none.
uint32_t TraceCollectives::root_of(const trace::Collective& collective) const {
  const int peer = trace_.shapes[collective.shape].peer;
  return peer < 0 || is_between_groups(collective) ? kNone : static_cast<uint32_t>(peer);
}

/// Calls use(thread, operation) for the members that are replayed and whose events the trace has,
/// in their order.
template <class Use>
void TraceCollectives::for_members_here(uint32_t index, Use use) const {
  const trace::Collective& collective = trace_.collectives[index];
  const std::vector<uint32_t>& here = here_[collective.comm];
  for (std::size_t at = 0; at < here.size(); ++at) {
    const uint32_t rank = of_comm_[collective.comm][here[at]];
    const uint32_t number = trace_.members[collective.first_member + at];
    if (number == kNone || rank >= trace_.ranks.size()) continue;
    const trace::Operation& operation = trace_.ranks[rank].operations[number];
    const uint32_t thread = threads_.thread(rank, operation.stream);
    if (thread != kNone) use(thread, operation);
  }
}

/// Of the members here.
TraceCollectives::Sums TraceCollectives::sums_of(uint32_t index) const {
  Sums sums;
  const auto replayed_as = pattern(trace_.collectives[index]);
  if (!replayed_as) return sums;
  for_members_here(index, [&](uint32_t thread, const trace::Operation& operation) {
    const uint64_t bytes = bytes_of(operation, *replayed_as);
    sums.bytes += bytes;
    sums.largest = std::max(sums.largest, bytes);
    ++sums.members;
    if (threads_.stream(thread) == 0) ++sums.mains;
  });
  return sums;
}

bool TraceCollectives::add(uint32_t index, const Sums& sums) {
  if (sums.members == 0) return false;
  const trace::Collective& collective = trace_.collectives[index];
  CollectiveStep& step = steps_[index];
  step.pattern = *pattern(collective);
  step.bytes = step.pattern == Pattern::broadcast ? sums.largest : sums.bytes / sums.members;
  const std::vector<uint32_t>& members = of_comm_[collective.comm];
  if (sums.mains != members.size()) return true;
  const uint32_t root = root_of(collective);
  step.root = root < members.size() ? root : 0;
  step.members = &members;
  return false;
}

/// Finds the threads that take part in each of some collectives. Most of them have the same ones.
void TraceCollectives::list_participants(const std::vector<uint32_t>& partial,
                                         Processes* processes) {
  ListsHere own;
  std::map<std::vector<uint32_t>, uint32_t> numbers;
  for (const uint32_t index : partial) {
    std::vector<uint32_t> threads;
    for_members_here(index, [&](uint32_t thread, const trace::Operation& /*operation*/) {
      threads.push_back(thread);
    });
    const auto number = static_cast<uint32_t>(own.lists.size());
    const auto [at, is_new] = numbers.try_emplace(std::move(threads), number);
    if (is_new) own.lists.push_back(at->first);
    own.numbers.push_back(at->second);
  }
  const std::vector<ListsHere> all = join_lists(processes, std::vector<ListsHere>{std::move(own)});
  // By communicator and number of each process's list.
  std::map<std::pair<uint32_t, std::vector<uint32_t>>, const std::vector<uint32_t>*> known;
  for (std::size_t i = 0; i < partial.size(); ++i) {
    const uint32_t comm = trace_.collectives[partial[i]].comm;
    std::vector<uint32_t> of_processes;
    for (const ListsHere& of : all) of_processes.push_back(of.numbers[i]);
    const auto [at, is_new] = known.try_emplace({comm, std::move(of_processes)});
    if (is_new) {
      std::vector<uint32_t>& threads = partial_.emplace_back();
      for (const ListsHere& of : all) {
        const std::vector<uint32_t>& some = of.lists[of.numbers[i]];
        threads.insert(threads.end(), some.begin(), some.end());
      }
      std::ranges::sort(threads, {}, [&](uint32_t thread) { return place_of(comm, thread); });
      at->second = &threads;
    }
    set_participants(partial[i], *at->second);
  }
}

void TraceCollectives::set_participants(uint32_t index, const std::vector<uint32_t>& threads) {
  const trace::Collective& collective = trace_.collectives[index];
  CollectiveStep& step = steps_[index];
  step.members = &threads;
  const uint32_t root = root_of(collective);
  if (root == kNone) return;
  const auto place = [&](uint32_t thread) { return place_of(collective.comm, thread); };
  const auto at = std::ranges::lower_bound(threads, root, {}, place);
  if (at != threads.end() && place(*at) == root) {
    step.root = static_cast<uint32_t>(at - threads.begin());
  } else {
    // Without its root, a collective only synchronizes the recorded members.
    step.pattern = Pattern::barrier;
  }
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

uint32_t TraceCollectives::place_of(uint32_t comm, uint32_t thread) const {
  return place_in(comm, threads_.rank(thread));
}

uint32_t TraceCollectives::place_in(uint32_t comm, uint32_t rank) const {
  const std::vector<uint32_t>& members = of_comm_[comm];
  const std::vector<uint32_t>& order = order_[comm];
  return *std::lower_bound(order.begin(), order.end(), rank,
                           [&](uint32_t at, uint32_t wanted) { return members[at] < wanted; });
}

}  // namespace plait::replay
