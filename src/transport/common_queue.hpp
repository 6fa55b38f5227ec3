// SPDX-License-Identifier: BSD-3-Clause
// One common queue per process, and rings for peers that send much: the design auto.
#pragma once

#include <memory>

#include "transport/queues.hpp"

namespace plait::transport {

Demand common_demand(uint32_t members);

/// An answer to Henriksen's question (2008, chapter 8) for few queues without competition.
///
/// A member that sends a peer much of what it sends makes a ring to it, if the peer has not too
/// many yet; all other messages go through the peer's common queue, a list. The peer's bell has a
/// bit for each ring and one for the common queue, so a poll that finds nothing reads one word,
/// however many members there are. Where a ring is full, messages go through the common queue, in
/// memory of the sender that grows as needed. So messages of up to kEagerBytes arrive without
/// further help of the sender. The receiver restores the order of the two ways by numbers of
/// messages.
std::unique_ptr<Queues> make_common(Node& node, uint32_t self);

}  // namespace plait::transport
