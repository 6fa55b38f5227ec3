// SPDX-License-Identifier: BSD-3-Clause
// The order of the messages of a trace, also where processes have parts of it.
//
// In a whole trace, messages are in the order of their channels, and in a channel as they were
// posted; see trace/match_messages.cpp. The lower one of a channel's ranks has the channel, and has
// its channels in the order of their first use.
#include "export/message_order.hpp"

#include <algorithm>

#include "base/combine.hpp"
#include "base/parallel.hpp"
#include "export/in_turn.hpp"
#include "trace/channels.hpp"
#include "trace/swap_ends.hpp"

namespace plait::exports {
namespace {

using std::uint32_t;
using trace::kNone;

/// The messages of each channel of a rank that no lower rank uses, in the order of the channels.
std::vector<IndexRange> messages_by_channel(const trace::Trace& trace, uint32_t rank) {
  trace::Channels channels(16);
  std::vector<IndexRange> messages;
  for (const trace::Operation& of : trace.ranks[rank].operations) {
    const auto partner = static_cast<uint32_t>(of.partner);
    if (of.kind == trace::OperationKind::collective || of.partner < 0 || partner < rank ||
        partner >= trace.ranks.size()) {
      continue;
    }
    const bool sends = of.kind == trace::OperationKind::send;
    const trace::Shape& shape = trace.shapes[of.shape];
    const uint32_t channel =
        channels.number_of({shape.comm, sends ? rank : partner, sends ? partner : rank, of.tag,
                            (shape.flags & PLAIT_SHAPE_PARTITIONED) != 0});
    messages.resize(channels.all().size());
    // A message of a rank to itself is counted once.
    if (of.message == kNone || (partner == rank && !sends)) continue;
    IndexRange& range = messages[channel];
    range.first = range.last == 0 ? of.message : std::min<std::size_t>(range.first, of.message);
    range.last = std::max<std::size_t>(range.last, of.message + std::size_t{1});
  }
  return messages;
}

}  // namespace

MessageOrder::MessageOrder(const trace::Trace& trace, Processes* processes) : trace_(trace) {
  if (!trace.is_part) return;
  list_own();
  std::vector<std::uint64_t> counts(size_of(processes), 0);
  counts[trace.process] = own_.size();
  combine(processes, counts, [](auto some, auto& sum) { sum += some; });
  std::uint64_t number = 0;
  for (std::size_t before = 0; before < trace.process; ++before) number += counts[before];
  numbers_.assign(trace.messages.size(), kNone);
  for (const uint32_t message : own_) numbers_[message] = static_cast<uint32_t>(number++);
  const std::vector<uint32_t> far =
      trace::swap_ends(trace, *processes, [&](const trace::Message& message) {
        return numbers_[static_cast<std::size_t>(&message - trace.messages.data())];
      });
  const std::size_t first_far = trace.messages.size() - far.size();
  for (std::size_t i = 0; i < far.size(); ++i) {
    if (far[i] != kNone) numbers_[first_far + i] = far[i];
  }
}

void MessageOrder::list_own() {
  const IndexRange here = trace_.ranks_here();
  std::vector<std::vector<IndexRange>> by_rank(here.last - here.first);
  for_each_index(by_rank.size(), [&](std::size_t i) {
    by_rank[i] = messages_by_channel(trace_, static_cast<uint32_t>(here.first + i));
  });
  for (const std::vector<IndexRange>& channels : by_rank) {
    for (const IndexRange& range : channels) {
      for (std::size_t message = range.first; message < range.last; ++message) {
        own_.push_back(static_cast<uint32_t>(message));
      }
    }
  }
}

}  // namespace plait::exports
