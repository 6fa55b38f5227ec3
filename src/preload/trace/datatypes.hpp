// SPDX-License-Identifier: BSD-3-Clause
// Which datatypes have gaps, so that a message of them is packed on its way.
#pragma once

#include "preload/calls/traffic.hpp"
#include "preload/trace/shapes.hpp"

namespace plait::preload::trace {

/// PLAIT_SHAPE_DERIVED if the type is the program's own and not contiguous. Asks MPI.
uint32_t ask_derived(MPI_Datatype type);

/// The same through the thread's cache.
inline uint32_t derived_flag(Stream* s, MPI_Datatype type) {
  const Word handle = word_of(type);
  const uint32_t seen = __atomic_load_n(&type_generation, __ATOMIC_ACQUIRE);
  if (__builtin_expect(s->types_seen != seen, 0)) {
    for (auto& slot : s->types) slot.handle = 0;
    forget_memos(s);
    s->types_seen = seen;
  }
  auto& slot = s->types[(handle * 0x9e3779b97f4a7c15u) >> (64 - Stream::kTypeBits)];
  if (__builtin_expect(slot.handle != handle + 1, 0)) slot = {handle + 1, ask_derived(type)};
  return slot.flag;
}

}  // namespace plait::preload::trace
