// SPDX-License-Identifier: BSD-3-Clause
// Describes a deadlock: which ranks wait for which in which calls, and the fix.
#include "check/deadlock_finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/name_ranks.hpp"
#include "check/place.hpp"

namespace plait::check {
namespace {

std::string ranks_text(const std::set<int>& ranks) {
  return name_ranks({ranks.begin(), ranks.end()});
}

class Describer {
public:
  Describer(const Job& job, const Messages& messages, const Collectives& collectives,
            const Waiting& waiting, const std::vector<std::size_t>& stuck)
      : job_(job),
        messages_(messages),
        collectives_(collectives),
        waiting_(waiting),
        graph_(waiting.graph) {
    // Report the threads that wait for ranks inside MPI_Finalize, not those ranks.
    std::vector<std::size_t> others;
    for (const std::size_t at : stuck) {
      if (thread(at).wait != PLAIT_CHECK_WAIT_FINALIZE) {
        others.push_back(at);
      } else {
        graph_.ended[static_cast<std::size_t>(graph_.threads[at].rank)] = true;
      }
    }
    if (others.empty()) others = stuck;
    dead_ = dead_ranks(graph_, others);
    core_ = core_of(graph_, others);
    for (const std::size_t at : core_.threads) {
      ranks_.insert(graph_.threads[at].rank);
      for (const int rank : waited_for(at)) {
        if (graph_.ended[static_cast<std::size_t>(rank)]) gone_.insert(rank);
      }
    }
    if (core_.kind == Core::Kind::cycle) gone_.clear();
  }

  [[nodiscard]] Finding finding() const {
    if (const auto op = missing_collective()) return missing(*op);
    Finding finding;
    finding.kind = "deadlock";
    const char* const verb = ranks_.size() == 1 ? "waits" : "wait";
    if (!gone_.empty()) {
      finding.what = fmt::format("Deadlock: {} {} for {}, {}", ranks_text(ranks_), verb,
                                 ranks_text(gone_), gone_text());
    } else {
      finding.what = fmt::format("Deadlock: {} {} for {}", ranks_text(ranks_), verb,
                                 ranks_.size() == 1 ? "itself" : "each other");
    }
    for (const std::size_t at : core_.threads) finding.places.push_back(stuck_place(at));
    add_finalizing(gone_, finding.places);
    finding.remedy =
        has_other_tag()
            ? "use the same tag in the send and the receive if they belong together; else " +
                  remedy()
            : remedy();
    return finding;
  }

private:
  [[nodiscard]] const plait_check_thread& thread(std::size_t at) const {
    const OpenCall& call = waiting_.calls[at];
    return job_.processes[call.process].threads[call.thread];
  }

  [[nodiscard]] Clause waited_for(std::size_t at) const {
    const auto clause = unmet_clause(graph_, at, dead_);
    return clause ? graph_.threads[at].clauses[*clause] : Clause{};
  }

  /// Index of the operation that blocks the thread; nothing in MPI_Finalize.
  [[nodiscard]] std::optional<std::uint32_t> blocking(std::size_t at) const {
    const OpenCall& call = waiting_.calls[at];
    const auto clause = unmet_clause(graph_, at, dead_);
    if (!clause || *clause >= call.ops.size()) return std::nullopt;
    return call.ops[*clause];
  }

  [[nodiscard]] const plait_check_op* blocking_op(std::size_t at) const {
    const auto index = blocking(at);
    return index ? &job_.processes[waiting_.calls[at].process].ops[*index] : nullptr;
  }

  [[nodiscard]] bool core_has(plait_check_op_kind kind) const {
    return std::any_of(core_.threads.begin(), core_.threads.end(), [&](std::size_t at) {
      const plait_check_op* op = blocking_op(at);
      return op != nullptr && op->kind == kind;
    });
  }

  [[nodiscard]] std::optional<int> other_tag(std::size_t at) const {
    const auto index = blocking(at);
    return index ? messages_.other_tag(waiting_.calls[at].process, *index) : std::nullopt;
  }

  [[nodiscard]] bool has_other_tag() const {
    return std::any_of(core_.threads.begin(), core_.threads.end(),
                       [&](std::size_t at) { return other_tag(at).has_value(); });
  }

  [[nodiscard]] std::string gone_text() const { return gone_text(gone_); }
  [[nodiscard]] std::string gone_text(const std::set<int>& gone) const {
    const bool finalize = std::all_of(gone.begin(), gone.end(), [&](int rank) {
      const int process = job_.process_of(rank);
      return process >= 0 && job_.processes[static_cast<std::size_t>(process)].finalized > 0;
    });
    if (finalize) return "which called MPI_Finalize";
    return gone.size() == 1 ? "which has ended" : "which have ended";
  }

  [[nodiscard]] Place stuck_place(std::size_t at) const {
    const OpenCall& call = waiting_.calls[at];
    const plait_check_thread& own = thread(at);
    Place place = place_of_call(job_, call.process, own.function, own.site);
    if (const auto index = blocking(at)) {
      const Place blocked = place_of(job_, call.process, *index);
      const bool elsewhere = blocking_op(at)->function != own.function;
      place.detail =
          elsewhere ? fmt::format("for {} {}", blocked.function, blocked.detail) : blocked.detail;
    }
    const Clause clause = waited_for(at);
    const std::set<int> ranks(clause.begin(), clause.end());
    place.detail += fmt::format("{}{} {}{}", place.detail.empty() ? "" : "; ",
                                call.polls ? "polls for" : "waits for",
                                ranks.size() > 1 ? "any of " : "", ranks_text(ranks));
    if (const auto tag = other_tag(at)) {
      place.detail += fmt::format(" and tag {}; an unmatched message from there has tag {}",
                                  blocking_op(at)->tag, *tag);
    }
    return place;
  }

  /// Adds the calls of MPI_Finalize of those ranks.
  void add_finalizing(const std::set<int>& ranks, std::vector<Place>& places) const {
    for (const int rank : ranks) {
      const int process = job_.process_of(rank);
      if (process < 0) continue;
      const Process& own = job_.processes[static_cast<std::size_t>(process)];
      for (const plait_check_thread& at : own.threads) {
        if (own.function(at.function) != "MPI_Finalize") continue;
        places.push_back(
            place_of_call(job_, static_cast<std::uint32_t>(process), at.function, at.site));
      }
    }
  }

  /// The thread of the core that waits in a collective call for ranks that have ended.
  [[nodiscard]] std::optional<std::size_t> missing_collective() const {
    if (gone_.empty()) return std::nullopt;
    const std::size_t last = core_.threads.back();
    const plait_check_op* op = blocking_op(last);
    if (op == nullptr || op->kind != PLAIT_CHECK_COLLECTIVE) return std::nullopt;
    return last;
  }

  [[nodiscard]] Finding missing(std::size_t at) const {
    const OpenCall& call = waiting_.calls[at];
    const std::uint32_t op = *blocking(at);
    std::set<int> never;
    for (const int rank : collectives_.absent(call.process, op)) {
      if (graph_.ended[static_cast<std::size_t>(rank)]) never.insert(rank);
    }
    Place place = place_of(job_, call.process, op);
    Finding finding;
    finding.kind = "collective_missing";
    finding.what = fmt::format("{} {} is not called by {}, {}", plain_name(place.function),
                               place.detail, ranks_text(never), gone_text(never));
    finding.remedy = "make the call on all ranks of the communicator";
    place.ranks = collectives_.present(call.process, op);
    place.detail += fmt::format("; waits for {}", ranks_text(never));
    finding.places.push_back(std::move(place));
    for (const std::size_t other : core_.threads) {
      if (other != at) finding.places.push_back(stuck_place(other));
    }
    add_finalizing(never, finding.places);
    return finding;
  }

  [[nodiscard]] std::string remedy() const {
    if (!gone_.empty()) return remedy_for_gone();
    const bool sends = core_has(PLAIT_CHECK_SEND);
    const bool receives = core_has(PLAIT_CHECK_RECEIVE) || core_has(PLAIT_CHECK_PROBE);
    const bool collective = core_has(PLAIT_CHECK_COLLECTIVE);
    if (collective && (sends || receives)) {
      return "send and receive the message on the same side of the collective call, before or "
             "after it";
    }
    if (collective) return "make the collective calls in the same order on all ranks";
    if (ranks_.size() == 1) return "post the receive before the send, or use MPI_Sendrecv";
    return fmt::format("have one of them {} first, or use MPI_Sendrecv or nonblocking calls",
                       sends && receives ? "send or receive"
                       : sends           ? "receive"
                                         : "send");
  }

  [[nodiscard]] std::string remedy_for_gone() const {
    const plait_check_op* op = blocking_op(core_.threads.back());
    const std::string who = ranks_text(gone_);
    const bool one = gone_.size() == 1;
    if (op != nullptr && op->kind == PLAIT_CHECK_SEND) {
      return fmt::format("{} no longer {}: have {} receive before MPI_Finalize, or do not send",
                         who, one ? "receives" : "receive", one ? "it" : "them");
    }
    if (op != nullptr && (op->kind == PLAIT_CHECK_RECEIVE || op->kind == PLAIT_CHECK_PROBE)) {
      return fmt::format("{} no longer {}: have {} send before MPI_Finalize, or do not receive",
                         who, one ? "sends" : "send", one ? "it" : "one of them");
    }
    return "make matching sends, receives and collective calls on both sides";
  }

  const Job& job_;
  const Messages& messages_;
  const Collectives& collectives_;
  const Waiting& waiting_;
  WaitGraph graph_;  ///< ranks inside MPI_Finalize count as ended
  Core core_;
  std::set<int> dead_, ranks_, gone_;
};

}  // namespace

Finding deadlock_finding(const Job& job, const Messages& messages, const Collectives& collectives,
                         const Waiting& waiting, const std::vector<std::size_t>& stuck) {
  return Describer(job, messages, collectives, waiting, stuck).finding();
}

}  // namespace plait::check
