// SPDX-License-Identifier: BSD-3-Clause
// Numbers MPI's predefined operations.
#include "preload/calls/operations.hpp"

#include "trace/event_format.h"

namespace plait::preload {
namespace {

static_assert(kOperationCount == PLAIT_OP_NO_OP);

// The handle of enum plait_operation `index` + 1.
Word predefined_operation(uint32_t index) {
#if defined(PLAIT_FAMILY_OPENMPI)
  static Word kept[kOperationCount];
  Word handle = __atomic_load_n(&kept[index], __ATOMIC_RELAXED);
  if (!handle) {
    handle = word_of(find_data(kOperations[index].symbol));
    __atomic_store_n(&kept[index], handle, __ATOMIC_RELAXED);
  }
  return handle;
#else
  return kOperations[index].value;
#endif
}

}  // namespace

uint32_t operation_of(Word handle) {
  for (uint32_t i = 0; i < kOperationCount; ++i)
    if (predefined_operation(i) == handle) return i + 1;
  return PLAIT_OP_USER;
}

}  // namespace plait::preload
