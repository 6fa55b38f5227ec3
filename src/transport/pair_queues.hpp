// SPDX-License-Identifier: BSD-3-Clause
// A ring per pair of processes: the designs sm, sm-counted and cor.
#pragma once

#include <memory>

#include "transport/queues.hpp"

namespace plait::transport {

Demand pair_demand(uint32_t members);

/// The queues of Open MPI 1.2.3: Henriksen (2008), section 4.2.3. The receiver polls all rings, and
/// returns each fragment as its acknowledgement.
std::unique_ptr<Queues> make_sm(Node& node, uint32_t self);

/// Future work in chapter 8: the sender keeps track of the fragments in the ring, and needs no
/// acknowledgements.
std::unique_ptr<Queues> make_sm_counted(Node& node, uint32_t self);

/// "Check only receiving queue", section 6.1.2: only rings from which a message is expected are
/// polled, all while one is expected from any member. Programs that need messages to be taken that
/// they do not expect yet are kept alive by a poll of all rings now and then.
std::unique_ptr<Queues> make_cor(Node& node, uint32_t self);

}  // namespace plait::transport
