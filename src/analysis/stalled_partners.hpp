// SPDX-License-Identifier: BSD-3-Clause
// Time in MPI that passed because another rank had no CPU, beyond the wait states.
#pragma once

#include <cstdint>

#include "analysis/lanes.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

/// Between t and the end of a call: the time without a CPU of that partner of its messages, or of
/// that other member of its collective, which had none for longest, ns. Such a rank takes messages
/// late, and sends late although it called MPI in time; wait states contain neither. Of
/// collectives with many members, some are looked at.
std::int64_t stalled_partner(const trace::Trace& trace, const Lanes& lanes, const Lane& lane,
                             std::uint32_t call, std::int64_t t);

}  // namespace plait::analysis
