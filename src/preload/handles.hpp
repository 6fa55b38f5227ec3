// SPDX-License-Identifier: BSD-3-Clause
// MPI handles as integers, for code that is the same for every ABI.
#pragma once

#include <stdint.h>

#include <type_traits>

namespace plait::preload {

/// A handle as the caller passed it: wide enough for every ABI.
using Word = uintptr_t;

template <class Handle>
Handle as(Word word) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(word);
  } else {
    return static_cast<Handle>(word);
  }
}

inline Word word_of(int handle) {
  return static_cast<unsigned>(handle);
}
inline Word word_of(const void* handle) {
  return reinterpret_cast<Word>(handle);
}

/// The handle that an argument of a call points to. The program may pass a null pointer, which MPI
/// will refuse.
template <class Handle>
Word handle_at(const Handle* argument) {
  return argument ? word_of(*argument) : 0;
}

}  // namespace plait::preload
