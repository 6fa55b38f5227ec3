// SPDX-License-Identifier: BSD-3-Clause
// Compares types and counts of one collective call across its members.
#include "check/collective_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "check/place.hpp"
#include "check/types.hpp"

namespace plait::check {
namespace {

/// Which data of which members have to be the same.
enum class Rule {
  kNone,
  kAllSame,     ///< Bcast, reductions: what each gives
  kCountsSame,  ///< Reduce_scatter: the lists of counts
  kToRoot,      ///< Gather(v): what each sends is what the root expects of it
  kFromRoot,    ///< Scatter(v): what the root sends to each is what that expects
  kEachToEach,  ///< Allgather, Alltoall: what each sends is what each expects
  kListToEach,  ///< Allgatherv: what each sends is what all expect of it
  kPairwise     ///< Alltoallv, Alltoallw: what i sends to j is what j expects of i
};

std::string base_of(std::string name) {
  if (name.ends_with("_init")) name.resize(name.size() - 5);
  name.erase(0, std::string("MPI_").size());
  if (name.starts_with('I')) {
    name.erase(0, 1);
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  }
  return name;
}

Rule rule_of(const std::string& name) {
  const std::string base = base_of(name);
  for (const char* same :
       {"Bcast", "Reduce", "Allreduce", "Scan", "Exscan", "Reduce_scatter_block"}) {
    if (base == same) return Rule::kAllSame;
  }
  if (base == "Reduce_scatter") return Rule::kCountsSame;
  if (base == "Gather" || base == "Gatherv") return Rule::kToRoot;
  if (base == "Scatter" || base == "Scatterv") return Rule::kFromRoot;
  if (base == "Allgather" || base == "Alltoall") return Rule::kEachToEach;
  if (base == "Allgatherv") return Rule::kListToEach;
  if (base == "Alltoallv" || base == "Alltoallw") return Rule::kPairwise;
  return Rule::kNone;
}

/// What one member gives and expects.
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

  /// What goes to that rank, or comes from it.
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

/// Two members that do not fit, and what each of them said.
struct Difference {
  const Member* one;
  const Member* other;
  Data given, wanted;
  bool is_transfer;  ///< given is sent by one to the other
};

using Members = std::vector<Member>;

/// Counts of 0 have no type.
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

/// Where all send the same to all, the first member that does is compared with each, and each with
/// what the first expects: that is enough, and takes no time of the order of P * P.
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
    case Rule::kAllSame:
      return all_same(members);
    case Rule::kCountsSame:
      return counts_same(members);
    case Rule::kToRoot:
      return with_root(members, true);
    case Rule::kFromRoot:
      return with_root(members, false);
    case Rule::kEachToEach:
      return each_to_each(members, false);
    case Rule::kListToEach:
    case Rule::kPairwise:
      return each_to_each(members, true);
    case Rule::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> compare_data(const Job& job, const std::string& name,
                                    const std::vector<OpRef>& call) {
  const Rule rule = rule_of(name);
  if (rule == Rule::kNone || call.empty()) return std::nullopt;
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
                     ? fmt::format("{} on {}: what is sent is not what is expected", name, comm)
                     : fmt::format("Ranks give different {} to {} on {}",
                                   sizes ? "counts" : "types", name, comm);
  finding.remedy = sizes ? "give counts and types that describe equally many elements on both sides"
                         : "give types of the same basic elements on both sides";
  finding.places = {place_of(job, found->one->ref().process, found->one->ref().op),
                    place_of(job, found->other->ref().process, found->other->ref().op)};
  const char* const first = found->is_transfer ? "sends " : "gives ";
  const char* const second = found->is_transfer ? "expects " : "gives ";
  finding.places[0].detail = first + describe(found->given) + " " + finding.places[0].detail;
  finding.places[1].detail = second + describe(found->wanted) + " " + finding.places[1].detail;
  return finding;
}

}  // namespace plait::check
