// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives and compares matched messages.
#include "check/messages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "check/place.hpp"
#include "check/types.hpp"
#include "text/counted.hpp"

namespace plait::check {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 32;
}

/// The number of operations of a channel's list with a smaller index.
std::uint64_t count_before(const std::vector<OpRef>& list, std::uint32_t index) {
  const auto found =
      std::lower_bound(list.begin(), list.end(), index,
                       [](const OpRef& ref, std::uint32_t wanted) { return ref.op < wanted; });
  return static_cast<std::uint64_t>(found - list.begin());
}

}  // namespace

std::size_t Messages::Hash::operator()(const Key& key) const {
  std::uint64_t hash = mix(key.comm, static_cast<std::uint32_t>(key.from));
  hash = mix(hash, static_cast<std::uint32_t>(key.to));
  return mix(hash, static_cast<std::uint32_t>(key.tag));
}

std::size_t Messages::PlaceHash::operator()(const Place& place) const {
  return mix(place.comm, static_cast<std::uint32_t>(place.to));
}

Messages::Messages(const Job& job) : job_(job) {
  for (std::uint32_t process = 0; process < job.processes.size(); ++process) {
    for (std::uint32_t i = 0; i < job.processes[process].ops.size(); ++i) add(process, i);
  }
}

void Messages::add_to(std::vector<OpRef>& list, Channel& channel, OpRef added) {
  if (!list.empty() && op(list.front()).thread != op(added).thread) channel.several_threads = true;
  list.push_back(added);
}

void Messages::add(std::uint32_t process, std::uint32_t index) {
  const Process& own = job_.processes[process];
  const plait_check_op& at = own.ops[index];
  if (at.kind != PLAIT_CHECK_SEND && at.kind != PLAIT_CHECK_RECEIVE) return;
  if (at.state == PLAIT_CHECK_FAILED || at.state == PLAIT_CHECK_CANCELLED ||
      at.peer == PLAIT_CHECK_NULL || !own.is_comparable(at)) {
    return;
  }
  const bool doubtful = (at.flags & PLAIT_CHECK_UNCERTAIN) != 0;
  Key key{own.key_of(at), own.rank, own.rank, at.tag};
  if (at.kind == PLAIT_CHECK_SEND) {
    key.to = own.world_rank(at, at.peer);
    if (key.to < 0) return;
    Channel& channel = channels_[key];
    if (doubtful) {
      ++channel.doubtful_sends;
    } else {
      add_to(channel.sends, channel, {process, index});
    }
    return;
  }
  const bool done = at.state == PLAIT_CHECK_COMPLETE || (at.flags & PLAIT_CHECK_MATCHED) != 0;
  const bool found = done && at.actual_tag != PLAIT_CHECK_NONE && at.actual_peer >= 0;
  const int source = found ? at.actual_peer : at.peer;
  key.tag = found ? at.actual_tag : at.tag;
  key.from = source == PLAIT_CHECK_ANY ? PLAIT_CHECK_ANY : own.world_rank(at, source);
  if (key.from == PLAIT_CHECK_ANY || key.tag == PLAIT_CHECK_ANY) {
    wildcards_[{key.comm, own.rank}].push_back({index, key.from, key.tag});
    if (at.state != PLAIT_CHECK_OPEN) ++unknown_messages_;
  } else if (key.from >= 0) {
    Channel& channel = channels_[key];
    if (doubtful) {
      ++channel.doubtful_receives;
    } else {
      add_to(channel.receives, channel, {process, index});
    }
  }
}

/// True if an open wildcard receive posted before operation `before` may take from this channel.
bool Messages::wildcard_takes(const Key& key, std::uint32_t before) const {
  const auto open = wildcards_.find({key.comm, key.to});
  if (open == wildcards_.end()) return false;
  return std::any_of(open->second.begin(), open->second.end(), [&](const Wildcard& wildcard) {
    return wildcard.op < before && is_compatible(wildcard.from, key.from) &&
           is_compatible(wildcard.tag, key.tag);
  });
}

bool Messages::has_partner(std::uint32_t process, std::uint32_t index) const {
  const Process& own = job_.processes[process];
  const plait_check_op& at = own.ops[index];
  if (at.kind == PLAIT_CHECK_SEND) {
    const Key key{own.key_of(at), own.rank, own.world_rank(at, at.peer), at.tag};
    const auto channel = channels_.find(key);
    if (channel == channels_.end()) return wildcard_takes(key, ~0U);
    return channel->second.receives.size() + channel->second.doubtful_receives >
               count_before(channel->second.sends, index) ||
           wildcard_takes(key, ~0U);
  }
  return has_message(own, at, index);
}

bool Messages::may_come(std::uint32_t process, const plait_check_op& probe) const {
  return has_message(job_.processes[process], probe, ~0U);
}

/// True if a matching channel has a message beyond those of receives posted before.
bool Messages::has_message(const Process& own, const plait_check_op& at,
                           std::uint32_t before) const {
  return std::any_of(channels_.begin(), channels_.end(), [&](const auto& entry) {
    const auto& [key, channel] = entry;
    if (key.comm != own.key_of(at) || key.to != own.rank || !is_compatible(at.tag, key.tag)) {
      return false;
    }
    if (at.peer != PLAIT_CHECK_ANY && own.world_rank(at, at.peer) != key.from) return false;
    return channel.sends.size() + channel.doubtful_sends > count_before(channel.receives, before);
  });
}

std::optional<int> Messages::other_tag(std::uint32_t process, std::uint32_t index) const {
  const Process& own = job_.processes[process];
  const plait_check_op& at = own.ops[index];
  std::optional<int> tag;
  if (at.kind != PLAIT_CHECK_RECEIVE && at.kind != PLAIT_CHECK_PROBE) return tag;
  for (const auto& [key, channel] : channels_) {
    const bool for_me = key.comm == own.key_of(at) && key.to == own.rank && key.tag != at.tag;
    const bool from_it = at.peer == PLAIT_CHECK_ANY || own.world_rank(at, at.peer) == key.from;
    const bool unmatched =
        channel.sends.size() > channel.receives.size() && !wildcard_takes(key, index);
    if (for_me && from_it && unmatched) tag = std::min(tag.value_or(key.tag), key.tag);
  }
  return tag;
}

void Messages::judge(const Key& key, const Channel& channel, std::vector<Finding>& found) const {
  const std::size_t matched = std::min(channel.sends.size(), channel.receives.size());
  for (std::size_t i = 0; !channel.ambiguous() && i < matched; ++i) {
    const OpRef send = channel.sends[i];
    const OpRef receive = channel.receives[i];
    const plait_check_op& from = op(send);
    const plait_check_op& to = op(receive);
    const bool unread = (to.flags & PLAIT_CHECK_MATCHED) != 0 && to.type == 0;
    if (unread || from.type == 0 || to.type == 0) continue;
    const Data sent{&job_.processes[send.process].type(from.type), from.count};
    const Data room{&job_.processes[receive.process].type(to.type), to.count};
    const bool cut = sent.bytes() > room.bytes();
    if (!cut && fits_types(sent, room)) continue;
    if (wildcard_takes(key, receive.op)) break;
    Finding finding;
    if (cut) {
      finding.kind = "truncated_receive";
      finding.what = fmt::format("Message of {} received into a buffer of {}",
                                 counted(sent.bytes(), "byte"), counted(room.bytes(), "byte"));
      finding.remedy =
          "receive with the count and type of the send, or get the size with MPI_Probe and "
          "MPI_Get_count first";
    } else {
      finding.kind = "type_mismatch";
      finding.what =
          fmt::format("Message sent as {} and received as {}", describe(sent), describe(room));
      finding.remedy = "send and receive the same sequence of basic types";
    }
    finding.places = {place_of(job_, send.process, send.op),
                      place_of(job_, receive.process, receive.op)};
    found.push_back(std::move(finding));
  }
}

std::vector<std::vector<OpRef>> Messages::partners() const {
  std::vector<std::vector<OpRef>> partners;
  for (const Process& process : job_.processes) partners.emplace_back(process.ops.size(), kNoOp);
  for (const auto& [key, channel] : channels_) {
    if (channel.ambiguous() || wildcard_takes(key, ~0U)) continue;
    const std::size_t matched = std::min(channel.sends.size(), channel.receives.size());
    for (std::size_t i = 0; i < matched; ++i) {
      const OpRef send = channel.sends[i], receive = channel.receives[i];
      partners[send.process][send.op] = receive;
      partners[receive.process][receive.op] = send;
    }
  }
  return partners;
}

std::vector<std::string> Messages::notes() const {
  std::vector<std::string> notes;
  if (!job_.comparable) return notes;
  std::size_t shared = 0, doubtful = 0;
  for (const auto& [key, channel] : channels_) {
    const std::size_t messages = std::max(channel.sends.size(), channel.receives.size());
    if (channel.several_threads) {
      shared += messages;
    } else if (channel.ambiguous()) {
      doubtful += messages;
    }
  }
  if (unknown_messages_ > 0) {
    notes.push_back(fmt::format(
        "MPI did not reveal which messages {} got; messages that may be theirs were not compared",
        counted(unknown_messages_, "receive")));
  }
  if (shared > 0) {
    notes.push_back(
        fmt::format("not compared: {} whose order is unknown, because several threads used the "
                    "same communicator, partner and tag",
                    counted(shared, "message")));
  }
  if (doubtful > 0) {
    notes.push_back(
        fmt::format("not compared: {} whose partners are uncertain, because requests failed, or "
                    "were cancelled and freed",
                    counted(doubtful, "message")));
  }
  return notes;
}

std::vector<Finding> Messages::findings() const {
  std::vector<Finding> found;
  if (!job_.comparable) return found;
  for (const auto& [key, channel] : channels_) judge(key, channel, found);
  for (const auto& [key, channel] : channels_) {
    if (!job_.is_over || wildcard_takes(key, ~0U)) continue;
    const std::size_t received = channel.receives.size() + channel.doubtful_receives;
    for (std::size_t i = received; i < channel.sends.size(); ++i) {
      const OpRef send = channel.sends[i];
      found.push_back({"unreceived_message",
                       "A message was never received",
                       "receive it, or do not send it; all communication must be complete before "
                       "MPI_Finalize",
                       1,
                       {place_of(job_, send.process, send.op)}});
    }
  }
  return found;
}

}  // namespace plait::check
