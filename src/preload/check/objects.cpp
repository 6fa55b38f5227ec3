// SPDX-License-Identifier: BSD-3-Clause
// Handles that the program made and has to free.
#include "preload/check/state.hpp"
#include "preload/check/types.hpp"
#include "preload/handle_map.hpp"

namespace plait::preload {
namespace {

/// A handle in use. A library may give several groups the same handle.
struct Use {
  uint32_t next;  // of the same handle; in the pool: the next free one
  uint32_t object;
};

Pool<Use> uses;
HandleMap first_use[PLAIT_CHECK_PERSISTENT + 1];
uint32_t first_unused;  // the first entry of OBJECTS that was freed, + 1; 0: none

plait_check_object& object_at(uint32_t index) {
  return check_entries<plait_check_object>(PLAIT_CHECK_OBJECTS)[index];
}

uint32_t new_entry() {
  if (first_unused) {
    const uint32_t index = first_unused - 1;
    first_unused = object_at(index).next;
    return index;
  }
  if (!check_append(PLAIT_CHECK_OBJECTS)) return ~0u;
  const uint32_t index = check_count(PLAIT_CHECK_OBJECTS);
  check_publish(PLAIT_CHECK_OBJECTS);
  return index;
}

bool is_predefined(MPI_Group group) {
  int size = 0;
  return call_real<kFunction_Group_size>(group, &size) != MPI_SUCCESS || size == 0;
}

}  // namespace

uint32_t keep_object(plait_check_object_kind kind, Word handle, uint32_t function, uint32_t site) {
  const uint32_t object = new_entry();
  if (object == ~0u) return object;
  object_at(object) = {static_cast<uint32_t>(kind), function, site, 0};
  if (kind == PLAIT_CHECK_PERSISTENT) return object;
  const uint32_t use = uses.take();
  if (!use) return object;
  const uint32_t before = first_use[kind].find(handle);
  uses[use] = {before == HandleMap::kAbsent ? 0 : before, object};
  first_use[kind].set(handle, use);
  return object;
}

void drop_object(uint32_t object) {
  if (object == ~0u) return;
  object_at(object) = {0, 0, 0, first_unused};
  first_unused = object + 1;
}

plait_check_object drop_object(plait_check_object_kind kind, Word handle) {
  const uint32_t use = first_use[kind].find(handle);
  if (use == HandleMap::kAbsent) return {};
  const plait_check_object dropped = object_at(uses[use].object);
  drop_object(uses[use].object);
  if (uses[use].next) {
    first_use[kind].set(handle, uses[use].next);
  } else {
    first_use[kind].remove(handle);
  }
  uses.give_back(use);
  return dropped;
}

void keep_made(Call& call, Checker& checker) {
  const Arguments& given = checker.given;
  const bool keeps = traits_of(call.function).makes_objects;
  const auto keep = [&](plait_check_object_kind kind, Word handle) {
    if (keeps) keep_object(kind, handle, call.function, call.site);
  };
  // The communicator of MPI_Comm_idup is made when its request ends.
  if (given.made_comm && !given.request && keeps && *given.made_comm != no_comm()) {
    keep_comm(call, word_of(*given.made_comm), key_base(call, checker));
    keep(PLAIT_CHECK_COMM, word_of(*given.made_comm));
  }
  if (given.made_win && keeps && *given.made_win != no_win()) {
    keep_window(call, word_of(*given.made_win), key_base(call, checker));
    keep(PLAIT_CHECK_WIN, word_of(*given.made_win));
  }
  if (given.made_type && keeps && may_be_type(word_of(*given.made_type))) {
    learn_made_type(word_of(*given.made_type), given);
    keep(PLAIT_CHECK_TYPE, word_of(*given.made_type));
    keep_check_type(word_of(*given.made_type));
  } else if (given.made_type && call.function != kFunction_Type_commit) {
    forget_check_type(word_of(*given.made_type));
  }
  if (given.filetype) forget_check_type(word_of(*given.filetype));
  if (given.made_group && keeps && !is_predefined(*given.made_group))
    keep(PLAIT_CHECK_GROUP, word_of(*given.made_group));
  if (given.made_op) keep(PLAIT_CHECK_OPERATOR, word_of(*given.made_op));
  // An error handler can turn a failure into a success.
  if (given.made_file && *given.made_file != no_file())
    keep(PLAIT_CHECK_FILE, word_of(*given.made_file));
}

}  // namespace plait::preload
