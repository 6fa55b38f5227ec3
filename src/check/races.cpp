// SPDX-License-Identifier: BSD-3-Clause
// Finds receives from any source that could have got another message, with other consequences.
#include "check/races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "check/causal_order.hpp"
#include "check/place.hpp"
#include "check/types.hpp"
#include "text/counted.hpp"

namespace plait::check {
namespace {

constexpr std::uint64_t kMostComparisons = 100'000'000;

/// The innermost frame of a call site; nothing if it is unknown.
const trace::CodeAddress* frame_of(const Process& process, const plait_check_op& op) {
  if (op.site == 0 || op.site >= process.sites.size()) return nullptr;
  const auto& frames = process.sites[op.site].frames;
  return frames.empty() ? nullptr : &frames.front();
}

bool differ(const trace::CodeAddress* a, const trace::CodeAddress* b) {
  return a != nullptr && b != nullptr && (a->module != b->module || a->offset != b->offset);
}

class Finder {
public:
  Finder(const Job& job, const Messages& messages, const Collectives& collectives)
      : job_(job), partners_(messages.partners()), order_(job, collectives, partners_) {}

  Races find() {
    if (!order_.is_known()) {
      if (order_.has_receivers()) {
        races_.notes.emplace_back(
            "not judged: which other messages receives from any source could have got, because " +
            order_.why_not());
      }
      return std::move(races_);
    }
    for (std::uint32_t process = 0; process < job_.processes.size(); ++process) judge(process);
    for (auto& [key, finding] : found_) races_.findings.push_back(std::move(finding));
    if (comparisons_ > kMostComparisons) {
      races_.notes.emplace_back(
          "not judged completely: which other messages receives from any source could have got; "
          "there are too many");
    }
    if (unasked_ > 0) {
      races_.notes.push_back(fmt::format(
          "not judged: whether the order matters in which {} from any source, whose status the "
          "program ignores, got the messages of different ranks",
          counted(unasked_, "receive")));
    }
    return std::move(races_);
  }

private:
  /// The next message of a sender that later receives of the process took.
  struct Later {
    OpRef send, receive;
  };
  /// Communicator, sending process, tag.
  using Channel = std::tuple<std::uint64_t, std::uint32_t, int>;

  [[nodiscard]] const plait_check_op& op(OpRef ref) const {
    return job_.processes[ref.process].ops[ref.op];
  }

  void judge(std::uint32_t process) {
    if (!order_.is_receiver(process)) return;
    const Process& own = job_.processes[process];
    std::map<Channel, Later> later;
    for (auto i = static_cast<std::uint32_t>(own.ops.size()); i-- > 0;) {
      const plait_check_op& at = own.ops[i];
      const OpRef send = partners_[process][i];
      if (at.kind != PLAIT_CHECK_RECEIVE || send == kNoOp) continue;
      const OpRef receive{process, i};
      if (at.peer == PLAIT_CHECK_ANY && comparisons_ <= kMostComparisons) {
        compare(receive, send, later);
      }
      later[{own.key_of(at), send.process, op(send).tag}] = {send, receive};
    }
  }

  void compare(OpRef receive, OpRef send, const std::map<Channel, Later>& later) {
    const plait_check_op& at = op(receive);
    const std::uint64_t comm = job_.processes[receive.process].key_of(at);
    bool other_order = false;
    for (auto one = later.lower_bound({comm, 0, 0}); one != later.end(); ++one) {
      const auto& [key, sender, tag] = one->first;
      if (key != comm) break;
      ++comparisons_;
      if (sender == send.process || !is_compatible(at.tag, tag)) continue;
      if (order_.is_before(receive, one->second.send)) continue;
      other_order = !judge_pair(receive, send, one->second) || other_order;
    }
    if (other_order && (at.flags & PLAIT_CHECK_NO_STATUS) != 0) ++unasked_;
  }

  /// Keeps a finding if the other message has other consequences; else returns false.
  bool judge_pair(OpRef receive, OpRef send, const Later& other) {
    const plait_check_op& at = op(receive);
    const plait_check_op& given = op(other.send);
    const Process& own = job_.processes[receive.process];
    const Data sent{&job_.processes[other.send.process].type(given.type), given.count};
    const Data room{&own.type(at.type), at.count};
    const bool cut = sent.bytes() > room.bytes();
    if (at.type != 0 && given.type != 0 && (cut || !fits_types(sent, room))) {
      keep(receive, send, other, "the message of another rank, which does not fit");
      return true;
    }
    // A program that asks for the sender may act on it.
    if ((at.flags & PLAIT_CHECK_NO_STATUS) == 0) return false;
    const plait_check_op& taker = op(other.receive);
    if (taker.peer != PLAIT_CHECK_ANY) {
      keep(receive, send, other, "the message that a later receive waits for");
      return true;
    }
    const bool sites_differ = differ(frame_of(own, at), frame_of(own, taker)) &&
                              differ(frame_of(job_.processes[send.process], op(send)),
                                     frame_of(job_.processes[other.send.process], given));
    if (sites_differ) keep(receive, send, other, "a message that belongs to another receive");
    return sites_differ;
  }

  void keep(OpRef receive, OpRef send, const Later& other, const char* what) {
    const auto key = std::tuple(receive.process, op(receive).site, other.send.process,
                                op(other.send).site, op(other.receive).site, std::string(what));
    const auto [at, is_new] = found_.try_emplace(key);
    if (!is_new) {
      ++at->second.count;
      return;
    }
    Finding& finding = at->second;
    finding.kind = "message_race";
    finding.what = fmt::format("A receive from any source may get {}", what);
    finding.remedy =
        "receive from a named rank, use different tags, or have the senders wait in between";
    Place wildcard = place_of(job_, receive.process, receive.op);
    wildcard.detail += " (any source)";
    Place sent = place_of(job_, send.process, send.op);
    sent.detail += "; its message came first";
    Place may = place_of(job_, other.send.process, other.send.op);
    may.detail += "; its message could have come first";
    Place taker = place_of(job_, other.receive.process, other.receive.op);
    taker.detail += "; received that message";
    finding.places = {std::move(wildcard), std::move(sent), std::move(may), std::move(taker)};
  }

  const Job& job_;
  std::vector<std::vector<OpRef>> partners_;
  CausalOrder order_;
  Races races_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                      std::string>,
           Finding>
      found_;
  std::uint64_t comparisons_ = 0;
  std::uint64_t unasked_ = 0;
};

}  // namespace

Races find_races(const Job& job, const Messages& messages, const Collectives& collectives) {
  return Finder(job, messages, collectives).find();
}

}  // namespace plait::check
