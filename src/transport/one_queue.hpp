// SPDX-License-Identifier: BSD-3-Clause
// One receiving queue per process: the designs orq and orq-lock.
#pragma once

#include <memory>

#include "transport/queues.hpp"

namespace plait::transport {

Demand one_queue_demand(uint32_t members);

/// Henriksen (2008), section 6.1.1: senders reserve places in the queue by compare-and-swap.
std::unique_ptr<Queues> make_orq(Node& node, uint32_t self);

/// The same with a spin lock.
std::unique_ptr<Queues> make_orq_lock(Node& node, uint32_t self);

}  // namespace plait::transport
