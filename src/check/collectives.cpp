// SPDX-License-Identifier: BSD-3-Clause
// Compares the collective calls of all members of each communicator, in their order.
#include "check/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/name_ranks.hpp"
#include "check/collective_data.hpp"
#include "check/place.hpp"
#include "check/types.hpp"

namespace plait::check {
namespace {

constexpr std::uint64_t kMostOrdinals = 1ULL << 32;  // beyond, the file is damaged

const plait_check_op& op_of(const Job& job, OpRef ref) {
  return job.processes[ref.process].ops[ref.op];
}

std::string name_of(const Job& job, OpRef ref) {
  return plain_name(job.processes[ref.process].function(op_of(job, ref).function));
}

/// One place per group of members with the same key.
template <class KeyOf>
std::vector<Place> places_by(const Job& job, const std::vector<OpRef>& call, const KeyOf& key_of) {
  std::map<std::string, Place> places;
  std::vector<std::string> order;
  for (const OpRef member : call) {
    const auto key = fmt::format("{}", key_of(member));
    const auto [at, is_new] = places.try_emplace(key);
    if (is_new) {
      at->second = place_of(job, member.process, member.op);
      order.push_back(key);
    } else {
      at->second.ranks.push_back(job.processes[member.process].rank);
    }
  }
  std::vector<Place> list;
  for (const std::string& key : order) list.push_back(std::move(places[key]));
  return list;
}

std::string comm_name(const Job& job, OpRef member) {
  return comm_text(job.processes[member.process].comm_of(op_of(job, member)));
}

/// World ranks of members still inside the call. None in a job that is over: an open operation is
/// then a leaked request.
std::vector<int> inside(const Job& job, const std::vector<OpRef>& call) {
  std::vector<int> ranks;
  for (const OpRef member : call) {
    const bool open = !job.is_over && op_of(job, member).state == PLAIT_CHECK_OPEN;
    if (open) ranks.push_back(job.processes[member.process].rank);
  }
  return ranks;
}

/// One place per group of members that pass the same MPI_Op, with its name.
std::vector<Place> places_by_operation(const Job& job, const std::vector<OpRef>& call) {
  const auto name = [&](OpRef member) { return operation_name(op_of(job, member).operation); };
  std::vector<Place> places = places_by(job, call, name);
  const char* const gap = op_of(job, call.front()).peer >= 0 ? ", " : " ";
  for (Place& place : places) {
    const auto member = std::find_if(call.begin(), call.end(), [&](OpRef ref) {
      return static_cast<int>(ref.process) == place.process;
    });
    place.detail = fmt::format("with {}{}{}", name(*member), gap, place.detail);
  }
  return places;
}

/// World ranks of known members that have not made the call.
std::vector<int> missing(const Job& job, const std::vector<OpRef>& call,
                         const std::vector<int>& wanted) {
  std::set<int> there;
  for (const OpRef member : call) there.insert(job.processes[member.process].rank);
  std::vector<int> ranks;
  for (const int rank : wanted) {
    if (rank >= 0 && !there.contains(rank)) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<int> all_members(const trace::Communicator& comm) {
  std::vector<int> members = comm.members.to_vector();
  members.insert(members.end(), comm.remote_members.begin(), comm.remote_members.end());
  return members;
}

/// World ranks that an operation cannot complete without.
std::vector<int> needed_by(const plait_check_op& op, const trace::Communicator& comm) {
  if (comm.remote_members.empty()) return comm.members.to_vector();
  if (op.peer == PLAIT_CHECK_NULL) return {};
  if (op.peer == PLAIT_CHECK_ROOT) return comm.remote_members.to_vector();
  if (op.peer < 0) return all_members(comm);
  std::vector<int> members = comm.members.to_vector();
  const auto root = static_cast<std::size_t>(op.peer);
  if (root < comm.remote_members.size()) members.push_back(comm.remote_members[root]);
  return members;
}

/// The first difference between the members of a call; nothing when all agree.
std::optional<Finding> difference(const Job& job, const std::vector<OpRef>& call) {
  const auto kind = [&](OpRef member) { return name_of(job, member); };
  const auto root = [&](OpRef member) { return op_of(job, member).peer; };
  const auto operation = [&](OpRef member) { return op_of(job, member).operation; };
  const auto differ = [&](const auto& of) {
    return std::any_of(call.begin(), call.end(),
                       [&](OpRef member) { return of(member) != of(call.front()); });
  };
  const std::string comm = comm_name(job, call.front());
  if (differ(kind)) {
    return Finding{
        "collective_kind", fmt::format("Ranks make different collective calls on {}", comm),
        "make the same collective calls in the same order on all ranks of the communicator", 1,
        places_by(job, call, kind)};
  }
  const std::string name = kind(call.front());
  const trace::Communicator* members =
      job.processes[call.front().process].comm_of(op_of(job, call.front()));
  if (members == nullptr || !members->remote_members.empty()) return std::nullopt;
  if (differ(root)) {
    return Finding{"collective_root",
                   fmt::format("Ranks pass different roots to {} on {}", name, comm),
                   "pass the same root on all ranks", 1, places_by(job, call, root)};
  }
  if (differ(operation)) {
    return Finding{"collective_operation",
                   fmt::format("Ranks pass different operations to {} on {}", name, comm),
                   "pass the same MPI_Op on all ranks", 1, places_by_operation(job, call)};
  }
  return compare_data(job, name, call);
}

/// The first difference, with the members that never completed the call.
std::optional<Finding> compare(const Job& job, const std::vector<OpRef>& call) {
  std::optional<Finding> finding = difference(job, call);
  const std::vector<int> stuck = inside(job, call);
  if (finding && !stuck.empty()) {
    finding->never_completed = true;
    finding->what += fmt::format("; {} never completed it", name_ranks(stuck));
  }
  return finding;
}

}  // namespace

std::string plain_name(const std::string& function) {
  return function.ends_with("_c") ? function.substr(0, function.size() - 2) : function;
}

Collectives::Collectives(const Job& job) : job_(job) {
  for (std::uint32_t process = 0; process < job.processes.size(); ++process) {
    const Process& own = job.processes[process];
    for (std::uint32_t i = 0; i < own.ops.size(); ++i) {
      const plait_check_op& op = own.ops[i];
      if (op.kind != PLAIT_CHECK_COLLECTIVE || op.state == PLAIT_CHECK_FAILED ||
          !own.is_comparable(op) || op.ordinal >= kMostOrdinals) {
        continue;
      }
      auto& calls = calls_[own.key_of(op)];
      if (calls.size() <= op.ordinal) calls.resize(op.ordinal + 1);
      calls[op.ordinal].push_back({process, i});
    }
  }
}

const Collectives::Call* Collectives::call_of(std::uint32_t process, std::uint32_t op) const {
  const Process& own = job_.processes[process];
  const auto comm = calls_.find(own.key_of(own.ops[op]));
  const std::uint64_t ordinal = own.ops[op].ordinal;
  return comm == calls_.end() || ordinal >= comm->second.size() ? nullptr : &comm->second[ordinal];
}

std::vector<int> Collectives::absent(std::uint32_t process, std::uint32_t op) const {
  const Process& own = job_.processes[process];
  const trace::Communicator* comm = own.comm_of(own.ops[op]);
  const Call* call = call_of(process, op);
  if (comm == nullptr || call == nullptr) return {};
  if (call->size() == comm->members.size() + comm->remote_members.size()) return {};
  return missing(job_, *call, needed_by(own.ops[op], *comm));
}

bool Collectives::may_progress(std::uint32_t process, std::uint32_t op) const {
  const Call* call = call_of(process, op);
  if (call == nullptr) return false;
  return std::any_of(call->begin(), call->end(), [&](OpRef member) {
    const plait_check_op& at = op_of(job_, member);
    const bool pending = (at.flags & PLAIT_CHECK_NONBLOCKING) != 0 && at.state == PLAIT_CHECK_OPEN;
    const Process& own = job_.processes[member.process];
    bool inside = false;
    for (std::uint32_t i = 0; i < own.threads.size(); ++i) inside = inside || own.is_inside(i);
    return pending && !inside;
  });
}

std::vector<int> Collectives::present(std::uint32_t process, std::uint32_t op) const {
  std::vector<int> ranks;
  if (const Call* call = call_of(process, op)) {
    for (const OpRef member : *call) ranks.push_back(job_.processes[member.process].rank);
  }
  return ranks;
}

bool Collectives::differs(std::uint32_t process, std::uint32_t op) const {
  const Call* call = call_of(process, op);
  return call != nullptr && difference(job_, *call).has_value();
}

std::vector<Finding> Collectives::findings() const {
  std::vector<Finding> found;
  if (!job_.comparable) return found;
  for (const auto& [key, calls] : calls_) {
    for (const Call& call : calls) {
      if (call.empty()) continue;
      std::optional<Finding> here = compare(job_, call);
      const bool other_kind = here && here->kind == "collective_kind";
      if (here) found.push_back(std::move(*here));
      if (other_kind) break;  // later calls are out of step
      if (!job_.is_over) continue;
      const OpRef first = call.front();
      // A rank that does not free it leaks it, which is a finding of its own.
      const std::string name = name_of(job_, first);
      const bool frees = name.ends_with("_free") || name == "MPI_Comm_disconnect";
      const trace::Communicator& comm = *job_.processes[first.process].comm_of(op_of(job_, first));
      const std::vector<int> absentees =
          frees ? std::vector<int>{} : missing(job_, call, all_members(comm));
      if (absentees.empty()) continue;
      Place place = place_of(job_, first.process, first.op);
      place.ranks.clear();
      for (const OpRef member : call) place.ranks.push_back(job_.processes[member.process].rank);
      found.push_back({"collective_missing",
                       fmt::format("{} on {} is not called by {}", place.function,
                                   comm_name(job_, first), name_ranks(absentees)),
                       "make the call on all ranks of the communicator",
                       1,
                       {std::move(place)}});
      break;
    }
  }
  return found;
}

}  // namespace plait::check
