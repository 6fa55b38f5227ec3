// SPDX-License-Identifier: BSD-3-Clause
// Compares types and counts of one collective call across its members.
#include "check/collective_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "check/place.hpp"
#include "check/types.hpp"
#include "trace/collective_name.hpp"

namespace plait::check {
namespace {

/// The data that have to match, by collective.
enum class Rule {
  none,
  all_same,      ///< Bcast, reductions: the data of all members
  counts_same,   ///< Reduce_scatter: the lists of counts
  to_root,       ///< Gather(v): what each member sends and what the root expects of it
  from_root,     ///< Scatter(v): what the root sends to each member and what it expects
  each_to_each,  ///< Allgather, Alltoall: what each member sends and what each expects
  list_to_each,  ///< Allgatherv: what each member sends and what all expect of it
  pairwise       ///< Alltoallv, Alltoallw: what i sends to j and what j expects of i
};

Rule rule_of(const std::string& name) {
  const std::string base = trace::blocking_name(name);
  for (const char* same :
       {"Bcast", "Reduce", "Allreduce", "Scan", "Exscan", "Reduce_scatter_block"}) {
    if (base == same) return Rule::all_same;
  }
  if (base == "Reduce_scatter") return Rule::counts_same;
  if (base == "Gather" || base == "Gatherv") return Rule::to_root;
  if (base == "Scatter" || base == "Scatterv") return Rule::from_root;
  if (base == "Allgather" || base == "Alltoall") return Rule::each_to_each;
  if (base == "Allgatherv") return Rule::list_to_each;
  if (base == "Alltoallv" || base == "Alltoallw") return Rule::pairwise;
  return Rule::none;
}

/// The data that one member sends and expects.
class Member {
public:
  Member(const Job& job, OpRef ref)
      : ref_(ref), process_(job.processes[ref.process]), op_(process_.ops[ref.op]) {
    const trace::Communicator* comm = process_.comm_of(op_);
    rank_ = comm == nullptr ? -1 : comm->my_rank;
  }

  [[nodiscard]] OpRef ref() const { return ref_; }
  [[nodiscard]] int rank() const { return rank_; }  ///< in the communicator
  [[nodiscard]] bool is_root() const { return op_.peer == rank_; }
  [[nodiscard]] bool sends() const { return (op_.flags & PLAIT_CHECK_SENDS) != 0; }
  [[nodiscard]] bool receives() const { return (op_.flags & PLAIT_CHECK_RECEIVES) != 0; }

  /// The data sent to a rank, or expected from it.
  [[nodiscard]] Data sent(int to) const {
    return part(op_.type, op_.count, op_.counts, op_.of, to);
  }
  [[nodiscard]] Data expected(int from) const {
    return part(op_.type_received, op_.count_received, op_.counts_received, op_.of_received, from);
  }
  [[nodiscard]] Data share(int of) const {  ///< of MPI_Reduce_scatter
    return part(op_.type, op_.count, op_.counts_received, op_.of_received, of);
  }
  [[nodiscard]] int shares() const { return static_cast<int>(op_.of_received); }

private:
  [[nodiscard]] Data part(std::uint32_t type, std::uint64_t count, std::uint64_t list,
                          std::uint32_t of, int rank) const {
    if (list == 0) return {&process_.type(type), count};
    const auto at = static_cast<std::uint64_t>(rank);
    if (rank < 0 || at >= of || list + at >= process_.counts.size()) return {};
    if (type != 0) return {&process_.type(type), process_.counts[list + at]};
    const std::uint64_t own_type = list + of + at;  // MPI_Alltoallw
    if (own_type >= process_.counts.size()) return {};
    return {&process_.type(static_cast<std::uint32_t>(process_.counts[own_type])),
            process_.counts[list + at]};
  }

  OpRef ref_;
  const Process& process_;
  const plait_check_op& op_;
  int rank_ = -1;
};

/// Two members whose data do not match.
struct Difference {
  const Member* one;
  const Member* other;
  Data given, wanted;
  bool is_transfer;  ///< `one` sends `given` to `other`
};

using Members = std::vector<Member>;

/// Types do not matter where nothing is sent and nothing expected.
bool agree(const Data& given, const Data& wanted) {
  if (given.type == nullptr || wanted.type == nullptr) return true;
  if (given.unknown() && given.count > 0) return true;
  if (wanted.unknown() && wanted.count > 0) return true;
  if (given.bytes() == 0 || wanted.bytes() == 0) return given.bytes() == wanted.bytes();
  return same_types(given, wanted);
}

std::optional<Difference> all_same(const Members& members) {
  const auto root = std::find_if(members.begin(), members.end(),
                                 [](const Member& member) { return member.is_root(); });
  const Member& first = root == members.end() ? members.front() : *root;
  for (const Member& member : members) {
    if (!agree(first.sent(0), member.sent(0))) {
      return Difference{&first, &member, first.sent(0), member.sent(0), false};
    }
  }
  return std::nullopt;
}

std::optional<Difference> counts_same(const Members& members) {
  const Member& first = members.front();
  for (const Member& member : members) {
    for (int i = 0; i < first.shares(); ++i) {
      if (!agree(first.share(i), member.share(i))) {
        return Difference{&first, &member, first.share(i), member.share(i), false};
      }
    }
  }
  return std::nullopt;
}

std::optional<Difference> with_root(const Members& members, bool to_root) {
  const auto root = std::find_if(members.begin(), members.end(),
                                 [](const Member& member) { return member.is_root(); });
  if (root == members.end()) return std::nullopt;
  for (const Member& member : members) {
    const Member& from = to_root ? member : *root;
    const Member& to = to_root ? *root : member;
    if (!from.sends() || !to.receives()) continue;
    const Data given = from.sent(to.rank());
    const Data wanted = to.expected(from.rank());
    if (!agree(given, wanted)) return Difference{&from, &to, given, wanted, true};
  }
  return std::nullopt;
}

/// Unless `pairwise`, compares only the first member with all others, in both directions. That is
/// enough when each member sends the same to all, and avoids P * P comparisons.
std::optional<Difference> each_to_each(const Members& members, bool pairwise) {
  for (const Member& from : members) {
    for (const Member& to : members) {
      if (!pairwise && &from != &members.front() && &to != &members.front()) continue;
      if (!from.sends() || !to.receives()) continue;
      const Data given = from.sent(to.rank());
      const Data wanted = to.expected(from.rank());
      if (!agree(given, wanted)) return Difference{&from, &to, given, wanted, true};
    }
  }
  return std::nullopt;
}

std::optional<Difference> difference(Rule rule, const Members& members) {
  switch (rule) {
    case Rule::all_same:
      return all_same(members);
    case Rule::counts_same:
      return counts_same(members);
    case Rule::to_root:
      return with_root(members, true);
    case Rule::from_root:
      return with_root(members, false);
    case Rule::each_to_each:
      return each_to_each(members, false);
    case Rule::list_to_each:
    case Rule::pairwise:
      return each_to_each(members, true);
    case Rule::none:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> compare_data(const Job& job, const std::string& name,
                                    const std::vector<OpRef>& call) {
  const Rule rule = rule_of(name);
  if (rule == Rule::none || call.empty()) return std::nullopt;
  Members members;
  for (const OpRef ref : call) members.emplace_back(job, ref);
  const auto found = difference(rule, members);
  if (!found) return std::nullopt;
  const bool sizes = found->given.bytes() != found->wanted.bytes();
  const std::string comm = comm_text(job.processes[call.front().process].comm_of(
      job.processes[call.front().process].ops[call.front().op]));
  Finding finding;
  finding.kind = sizes ? "collective_count" : "collective_type";
  finding.what = found->is_transfer
                     ? fmt::format("{} on {}: data sent and expected differ", name, comm)
                     : fmt::format("Ranks pass different {} to {} on {}",
                                   sizes ? "counts" : "types", name, comm);
  finding.remedy =
      sizes ? "use counts and types that describe the same number of elements on both sides"
            : "use types with the same basic elements on both sides";
  finding.places = {place_of(job, found->one->ref().process, found->one->ref().op),
                    place_of(job, found->other->ref().process, found->other->ref().op)};
  const char* const first = found->is_transfer ? "sends " : "passes ";
  const char* const second = found->is_transfer ? "expects " : "passes ";
  finding.places[0].detail = first + describe(found->given) + " " + finding.places[0].detail;
  finding.places[1].detail = second + describe(found->wanted) + " " + finding.places[1].detail;
  return finding;
}

}  // namespace plait::check
