// SPDX-License-Identifier: BSD-3-Clause
// The messages of a halo: their contents, and the copies that pack and unpack them. Does not use
// MPI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plait/field.hpp"
#include "solve/halo/copy.hpp"
#include "solve/halo/plan.hpp"

namespace plait::solve {

/// The one message that a peer receives in an exchange, and the equally long one that it sends. It
/// contains, for each region of the peer and each field, the cells with x fastest, then y, then z.
struct HaloMessage {
  HaloPeer peer;
  std::vector<std::int64_t> offset;  ///< in bytes, of region r and field f at r * fields + f
  std::int64_t bytes = 0;
};

std::vector<HaloMessage> halo_messages(const HaloShape& shape, std::span<const FieldView> layout);

// Copies number their memory so: field f is memory f, message m is memory (number of fields) + m.

/// The copies from the fields into the messages with packed[m].
CopyList pack_copies(const HaloShape& shape, std::span<const FieldView> layout,
                     std::span<const HaloMessage> messages, const std::vector<bool>& packed);
/// The copies that fill ghosts after the messages have arrived: from the messages with packed[m]
/// (the others arrive directly in the ghosts), from the other side of a periodic axis with one
/// rank, and from mirrored cells.
CopyList unpack_copies(const HaloShape& shape, std::span<const FieldView> layout,
                       std::span<const HaloMessage> messages, const std::vector<bool>& packed);

}  // namespace plait::solve
