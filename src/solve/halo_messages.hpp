// SPDX-License-Identifier: BSD-3-Clause
// The messages of a halo: what lies where in them, and the copies that fill and empty them. Knows
// no MPI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plait/field.hpp"
#include "solve/halo_copy.hpp"
#include "solve/halo_plan.hpp"

namespace plait::solve {

/// The one message a peer gets in an exchange, and the one it sends, which is as long. It holds,
/// for each region of the peer, for each field, the cells with x running fastest, then y, then z.
struct HaloMessage {
  HaloPeer peer;
  std::vector<std::int64_t> offset;  ///< in bytes, of region r and field f at r * fields + f
  std::int64_t bytes = 0;
};

std::vector<HaloMessage> halo_messages(const HaloShape& shape, std::span<const FieldView> layout);

/// The memory of a copy: field f is number f, message m is number (fields + m).
/// The copies from the fields into those messages for which packed[m] holds.
CopyList pack_copies(const HaloShape& shape, std::span<const FieldView> layout,
                     std::span<const HaloMessage> messages, const std::vector<bool>& packed);
/// The copies that fill ghosts after the messages have come: from those messages for which
/// packed[m] holds (the others arrive in the ghosts), from the other side of a periodic axis with
/// one rank, and mirrored ones.
CopyList unpack_copies(const HaloShape& shape, std::span<const FieldView> layout,
                       std::span<const HaloMessage> messages, const std::vector<bool>& packed);

}  // namespace plait::solve
