// SPDX-License-Identifier: BSD-3-Clause
// Time in MPI that passed because another rank had no CPU, beyond the wait states.
#pragma once

#include <cstdint>

#include "analysis/lanes.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

/// A part of a call, ns.
struct CallPart {
  std::int64_t since;    ///< when it begins; it lasts until the end of the call
  std::int64_t length;   ///< of what is to be explained, at most the time since then
  std::int64_t stalled;  ///< of it without a CPU
};

/// How much of a part of a call passed because another rank had no CPU, ns: of the partners of its
/// messages, or the other members of its collective, the one that had none for longest. Such a rank
/// takes messages late, and sends late although it called MPI in time; wait states contain neither.
/// The time to copy the data of the call is not counted. Of collectives with many members, some
/// are looked at.
std::int64_t lost_to_partner(const trace::Trace& trace, const Lanes& lanes, const Lane& lane,
                             std::uint32_t call, const CallPart& part);

}  // namespace plait::analysis
