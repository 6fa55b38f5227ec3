// SPDX-License-Identifier: BSD-3-Clause
// Finds sends that end only because MPI buffers their messages.
#include "check/unsafe_sends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "base/name_ranks.hpp"
#include "check/place.hpp"
#include "check/rerun.hpp"

namespace plait::check {
namespace {

constexpr std::size_t kMostPlaces = 8;        // of one cycle; its title names all ranks
constexpr std::size_t kMostCycles = 1 << 20;  // of a job

/// Posted receives from any source or with any tag, and the sends to processes that post such.
class Pending : public RerunObserver {
public:
  Pending(const Job& job, const std::vector<std::vector<OpRef>>& partners)
      : job_(job),
        partners_(partners),
        receives_(job.processes.size()),
        sends_(job.processes.size()) {
    for (std::size_t i = 0; i < job.processes.size(); ++i) {
      uses_wildcards_.push_back(std::ranges::any_of(job.processes[i].ops, is_wildcard));
    }
  }

  void posted(OpRef ref) override {
    const plait_check_op& at = op(ref);
    if (is_wildcard(at)) receives_[ref.process].push_back(ref);
    if (at.kind != PLAIT_CHECK_SEND) return;
    const int to = job_.process_of(job_.processes[ref.process].world_rank(at, at.peer));
    if (to >= 0 && uses_wildcards_[static_cast<std::size_t>(to)]) {
      sends_[static_cast<std::size_t>(to)].push_back(ref);
    }
  }
  void ended(OpRef) override {}

  /// True if a posted wildcard receive without its message may take the message of this send.
  [[nodiscard]] bool may_be_received(const Rerun& rerun, OpRef send) {
    const int to =
        job_.process_of(job_.processes[send.process].world_rank(op(send), op(send).peer));
    return to >= 0 && any(rerun, receives_[static_cast<std::size_t>(to)],
                          [&](OpRef receive) { return fit(send, receive); });
  }
  /// True if a posted send without its receive may end this wildcard receive.
  [[nodiscard]] bool may_get_another(const Rerun& rerun, OpRef receive) {
    return is_wildcard(op(receive)) &&
           any(rerun, sends_[receive.process], [&](OpRef send) { return fit(send, receive); });
  }

private:
  static bool is_wildcard(const plait_check_op& of) {
    return of.kind == PLAIT_CHECK_RECEIVE &&
           (of.peer == PLAIT_CHECK_ANY || of.tag == PLAIT_CHECK_ANY);
  }
  [[nodiscard]] const plait_check_op& op(OpRef ref) const {
    return job_.processes[ref.process].ops[ref.op];
  }
  [[nodiscard]] bool fit(OpRef send, OpRef receive) const {
    const Process& from = job_.processes[send.process];
    const Process& to = job_.processes[receive.process];
    const plait_check_op& given = op(send);
    const plait_check_op& wanted = op(receive);
    const int source =
        wanted.peer == PLAIT_CHECK_ANY ? from.rank : to.world_rank(wanted, wanted.peer);
    return from.key_of(given) == to.key_of(wanted) && source == from.rank &&
           is_compatible(wanted.tag, given.tag);
  }
  /// Drops operations whose partner is posted from the list.
  template <class Fits>
  bool any(const Rerun& rerun, std::vector<OpRef>& list, const Fits& fits) {
    std::erase_if(list, [&](OpRef ref) {
      const OpRef partner = partners_[ref.process][ref.op];
      return partner == kNoOp || rerun.is_posted(partner);
    });
    return std::ranges::any_of(list, fits);
  }

  const Job& job_;
  const std::vector<std::vector<OpRef>>& partners_;
  std::vector<std::vector<OpRef>> receives_, sends_;  // by the receiving process
  std::vector<bool> uses_wildcards_;
};

class Finder {
public:
  Finder(const Job& job, const Collectives& collectives,
         const std::vector<std::vector<OpRef>>& partners)
      : job_(job),
        pending_(job, partners),
        rerun_(job, collectives, partners, Sends::synchronous, &pending_) {}

  std::vector<Finding> find() {
    rerun_.run();
    std::size_t start = 0;
    for (std::size_t cycles = 0; cycles < kMostCycles; ++cycles) {
      while (start < rerun_.lanes() && rerun_.blocked_on(start) == kNoOp) ++start;
      if (start == rerun_.lanes()) break;
      const std::vector<std::size_t> cycle = cycle_from(start);
      std::vector<OpRef> sends;
      for (const std::size_t lane : cycle) {
        if (op(rerun_.blocked_on(lane)).kind == PLAIT_CHECK_SEND) {
          sends.push_back(rerun_.blocked_on(lane));
        }
      }
      if (sends.empty()) break;  // the run did not end this way
      if (is_certain(cycle)) keep(cycle);
      for (const OpRef send : sends) rerun_.release(send);
      rerun_.run();
    }
    std::vector<Finding> found;
    for (auto& [key, finding] : found_) found.push_back(std::move(finding));
    return found;
  }

private:
  [[nodiscard]] const plait_check_op& op(OpRef ref) const {
    return job_.processes[ref.process].ops[ref.op];
  }
  [[nodiscard]] std::size_t next(std::size_t lane) const {
    return rerun_.lane_of(rerun_.needed_by(rerun_.blocked_on(lane)));
  }

  /// Every thread that cannot continue waits for another such thread, so the path ends in a cycle.
  [[nodiscard]] std::vector<std::size_t> cycle_from(std::size_t lane) const {
    std::vector<std::size_t> path;
    std::set<std::size_t> seen;
    for (; seen.insert(lane).second; lane = next(lane)) path.push_back(lane);
    path.erase(path.begin(), std::ranges::find(path, lane));
    std::rotate(path.begin(), std::ranges::min_element(path), path.end());
    return path;
  }

  [[nodiscard]] bool is_certain(const std::vector<std::size_t>& cycle) {
    return std::ranges::none_of(cycle, [&](std::size_t lane) {
      const OpRef blocked = rerun_.blocked_on(lane);
      const auto kind = op(blocked).kind;
      return (kind == PLAIT_CHECK_SEND && pending_.may_be_received(rerun_, blocked)) ||
             (kind == PLAIT_CHECK_RECEIVE && pending_.may_get_another(rerun_, blocked));
    });
  }

  void keep(const std::vector<std::size_t>& cycle) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> key;
    for (const std::size_t lane : cycle) {
      const OpRef blocked = rerun_.blocked_on(lane);
      key.emplace_back(blocked.process, op(blocked).site);
    }
    const auto [at, is_new] = found_.try_emplace(std::move(key));
    if (!is_new) {
      ++at->second.count;
      return;
    }
    Finding& finding = at->second;
    finding.kind = "unsafe_send";
    finding.remedy =
        "use MPI_Sendrecv or nonblocking calls, or have one of them receive before it sends";
    std::set<int> ranks;
    for (const std::size_t lane : cycle) {
      const OpRef blocked = rerun_.blocked_on(lane);
      ranks.insert(job_.processes[blocked.process].rank);
      if (finding.places.size() == kMostPlaces) continue;
      Place place = place_of(job_, blocked.process, blocked.op);
      place.detail += fmt::format("; without a buffer it waits for rank {}",
                                  job_.processes[rerun_.needed_by(blocked).process].rank);
      finding.places.push_back(std::move(place));
    }
    finding.what = fmt::format("Without buffered messages, {} would wait for {}",
                               name_ranks({ranks.begin(), ranks.end()}),
                               ranks.size() == 1 ? "itself" : "each other");
  }

  const Job& job_;
  Pending pending_;
  Rerun rerun_;
  std::map<std::vector<std::pair<std::uint32_t, std::uint32_t>>, Finding> found_;
};

}  // namespace

std::vector<Finding> unsafe_sends(const Job& job, const Messages& messages,
                                  const Collectives& collectives) {
  const auto partners = messages.partners();
  // With buffers, the rerun must end like the run. Otherwise something is not known that ended it.
  Rerun buffered(job, collectives, partners, Sends::buffered);
  buffered.run();
  for (std::size_t lane = 0; lane < buffered.lanes(); ++lane) {
    if (buffered.blocked_on(lane) != kNoOp) return {};
  }
  return Finder(job, collectives, partners).find();
}

}  // namespace plait::check
