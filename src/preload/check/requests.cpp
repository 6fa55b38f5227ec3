// SPDX-License-Identifier: BSD-3-Clause
// Requests between the call that started them and the one that ends them.
#include "preload/check/requests.hpp"

#include <initializer_list>

#include "preload/check/handle_map.hpp"

namespace plait::preload {
namespace {

Pool<KeptOperation> kept;
HandleMap first_of;  // handle to the first kept operation of that handle

uint32_t first(Word handle) {
  const uint32_t index = first_of.find(handle);
  return index == HandleMap::kAbsent ? 0 : index;
}

// The request that the program keeps at `place`; else the oldest one that no other request of this
// call has been matched with.
uint32_t find_operation(Word handle, const void* place) {
  uint32_t any = 0;
  for (uint32_t i = first(handle); i; i = kept[i].next) {
    if (kept[i].claimed) continue;
    if (kept[i].place == place) return i;
    if (!any) any = i;
  }
  return any;
}

bool is_shared(Word handle) {
  const uint32_t index = first(handle);
  return index && kept[index].next;
}

uint32_t insert(Word handle, const void* place) {
  const uint32_t index = kept.take();
  if (!index) return 0;
  KeptOperation& operation = kept[index];
  operation.handle = handle;
  operation.place = place;
  operation.op = operation.second = kNoOp;
  uint32_t last = first(handle);
  if (!last) {
    first_of.set(handle, index);
    return index;
  }
  while (kept[last].next) last = kept[last].next;
  kept[last].next = index;
  return index;
}

void remove(uint32_t index) {
  const Word handle = kept[index].handle;
  uint32_t at = first(handle);
  if (at == index) {
    if (kept[index].next) {
      first_of.set(handle, kept[index].next);
    } else {
      first_of.remove(handle);
    }
  } else {
    while (at && kept[at].next != index) at = kept[at].next;
    if (at) kept[at].next = kept[index].next;
  }
  release(kept[index].buffer);
  kept.give_back(index);
}

// Looks for operations in flight that use the memory of an operation that begins.
void compare_buffers(const Call& call, uint32_t index) {
  if (!checks_buffers() || !kept[index].buffer.bytes) return;
  const uint32_t op = kept[index].op;
  for (uint32_t i = 1; i < kept.size(); ++i) {
    const KeptOperation& other = kept[i];
    if (i == index || other.op == kNoOp || !other.handle) continue;
    if (overlap(kept[index].buffer, other.buffer))
      find({PLAIT_CHECK_BUFFER_OVERLAP, call.function, call.site, op, other.op, 0, 1});
  }
}

void end_op(uint32_t index, uint32_t op, const MPI_Status* status) {
  plait_check_op& ended = check_op(op);
  uint8_t state = PLAIT_CHECK_COMPLETE;
  if (kept[index].cancelled && status) {
    int flag = 0;
    call_real<kFunction_Test_cancelled>(status, &flag);
    if (flag) state = PLAIT_CHECK_CANCELLED;
  }
  if (ended.kind == PLAIT_CHECK_RECEIVE && status && state == PLAIT_CHECK_COMPLETE) {
    ended.actual_peer = kept_rank(status->MPI_SOURCE);
    ended.actual_tag = kept_tag(status->MPI_TAG);
  }
  __atomic_store_n(&ended.state, state, __ATOMIC_RELEASE);
}

void end_operation(Call& call, uint32_t index, const MPI_Status* status) {
  KeptOperation& operation = kept[index];
  if (operation.op != kNoOp) {
    // If several requests share a handle, it is not certain which one this is.
    if (!is_shared(operation.handle) && has_changed(operation.buffer))
      find({PLAIT_CHECK_BUFFER_CHANGED, call.function, call.site, operation.op, 0, 0, 1});
    end_op(index, operation.op, status);
    if (operation.second != kNoOp) end_op(index, operation.second, status);
  }
  if (operation.new_comm && *operation.new_comm != no_comm()) {
    const Word made = word_of(*operation.new_comm);
    keep_comm(call, made, operation.base);
    if (operation.op != kNoOp) {
      const plait_check_op& op = check_op(operation.op);
      keep_object(PLAIT_CHECK_COMM, made, op.function, op.site);
    }
  }
  operation.cancelled = false;
  operation.op = kNoOp;
  if (!operation.persistent) remove(index);
}

template <class Item>
bool make_room(Item*& items, uint32_t& room, uint32_t wanted) {
  if (wanted <= room) return true;
  const uint32_t larger = wanted < 1024 ? 1024 : 2 * wanted;
  void* moved = move_to_pages(items, room * sizeof(Item), larger * sizeof(Item));
  if (!moved) return false;
  items = static_cast<Item*>(moved);
  room = larger;
  return true;
}

uint32_t requests_in(const Arguments& given) {
  if (given.request) return 1;
  const MPI_Count count = given.incount > 0 ? given.incount : given.count;
  return given.array_of_requests && count > 0 ? static_cast<uint32_t>(count) : 0;
}

bool is_null(MPI_Request request) {
  return request == no_request();
}

// A status at `i` of those that the call filled in; null: none.
const MPI_Status* status_at(const Arguments& given, uint32_t i) {
  if (given.request) return given.status == MPI_STATUS_IGNORE ? nullptr : given.status;
  if (given.array_of_statuses && given.array_of_statuses != MPI_STATUSES_IGNORE)
    return given.array_of_statuses + i;
  return given.status && given.status != MPI_STATUS_IGNORE ? given.status : nullptr;
}

}  // namespace

void keep_operation(Call& call, const Checker& checker, Word handle, const void* place) {
  const uint32_t index = insert(handle, place);
  if (!index) return;
  KeptOperation& operation = kept[index];
  const Arguments& given = checker.given;
  operation.op = checker.first_op;
  if (checker.posted > 1) operation.second = checker.first_op + 1;
  if (given.made_comm) {
    operation.new_comm = given.made_comm;
    operation.base = key_base(call, checker);
  }
  const plait_check_op& op = check_op(operation.op);
  const void* const out = given.sendbuf ? given.sendbuf : given.buf ? given.buf : given.buffer;
  const Word type = given.sendtype ? given.sendtype : given.datatype;
  const MPI_Count count = given.sendtype ? given.sendcount : given.count;
  const bool plain = op.kind == PLAIT_CHECK_SEND || op.kind == PLAIT_CHECK_RECEIVE;
  // The root of a reduction on an intercommunicator sends nothing, whatever its buffer is.
  const bool only_receives = given.datatype && given.root == MPI_ROOT;
  const bool sends = op.kind == PLAIT_CHECK_SEND ||
                     (op.kind == PLAIT_CHECK_COLLECTIVE && (op.flags & PLAIT_CHECK_SENDS) != 0 &&
                      given.sendbuf && !op.counts && !only_receives);
  if ((plain || sends) && op.peer != PLAIT_CHECK_NULL)
    operation.buffer = buffer_of(out, count, type, sends);
  compare_buffers(call, index);
}

void keep_persistent(Call& call, Word handle, const void* place, const plait_check_op& shape,
                     const Buffer& buffer) {
  const uint32_t index = insert(handle, place);
  if (!index) return;
  kept[index].persistent = true;
  kept[index].shape = shape;
  kept[index].buffer = buffer;
  kept[index].object = keep_object(PLAIT_CHECK_PERSISTENT, 0, call.function, call.site);
}

void start_operation(Call& call, Checker& checker, Word handle, const void* place) {
  const uint32_t index = find_operation(handle, place);
  if (!index || !kept[index].persistent) return;
  plait_check_op shape = kept[index].shape;
  shape.site = call.site;
  shape.thread = checker.index;
  shape.flags |= PLAIT_CHECK_STARTED;
  kept[index].op = post(call, checker, shape);
  sum_again(kept[index].buffer);
  compare_buffers(call, index);
}

void cancel_operation(Word handle, const void* place) {
  if (const uint32_t index = find_operation(handle, place)) kept[index].cancelled = true;
}

void free_operation(Word handle) {
  const uint32_t index = first(handle);
  if (!index) return;
  const KeptOperation& operation = kept[index];
  for (const uint32_t op : {operation.op, operation.second})
    if (op != kNoOp) check_op(op).state = PLAIT_CHECK_FREED;
  if (operation.persistent) drop_object(operation.object);
  remove(index);
}

void wait_begins(Checker& checker, const Traits& traits) {
  Arguments& given = checker.given;
  const uint32_t count = requests_in(given);
  checker.waiting = 0;
  if (!make_room(checker.waited, checker.wait_room, count) ||
      !make_room(checker.statuses, checker.status_room, count + 1))
    return;
  if (given.status == MPI_STATUS_IGNORE && !given.array_of_statuses)
    given.status = checker.statuses;
  if (given.array_of_statuses == MPI_STATUSES_IGNORE && traits.ends != Ends::any &&
      traits.ends != Ends::one)
    given.array_of_statuses = checker.statuses;
  const MPI_Request* requests = given.request ? given.request : given.array_of_requests;
  plait_check_thread& published = *checker.published;
  uint32_t waited = 0, unknown = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t index = is_null(requests[i]) ? 0 : find_operation(word_of(requests[i]), &requests[i]);
    checker.waited[i] = index;
    if (!index) {
      unknown += is_null(requests[i]) ? 0 : 1;
      continue;
    }
    kept[index].claimed = true;
    for (const uint32_t op : {kept[index].op, kept[index].second}) {
      if (op == kNoOp) continue;
      if (waited < PLAIT_CHECK_WAITED) published.ops[waited] = op;
      ++waited;
    }
  }
  checker.waiting = count;
  published.waited = waited;
  published.unknown = unknown;
  const bool any = traits.ends == Ends::any || traits.ends == Ends::some;
  if (traits.role == Role::wait && waited)
    published.wait = any ? PLAIT_CHECK_WAIT_ANY : PLAIT_CHECK_WAIT_ALL;
}

void wait_ends(Call& call, Checker& checker, const Traits& traits, int code) {
  const Arguments& given = checker.given;
  const MPI_Request* requests = given.request ? given.request : given.array_of_requests;
  for (uint32_t i = 0; i < checker.waiting; ++i)
    if (checker.waited[i]) kept[checker.waited[i]].claimed = false;
  const bool flag = traits.role == Role::wait || (given.flag && *given.flag);
  const auto end = [&](uint32_t i, const MPI_Status* status) {
    const uint32_t index = i < checker.waiting ? checker.waited[i] : 0;
    if (!index || kept[index].op == kNoOp) return;
    // After an error only the requests that are gone have ended.
    if (code != MPI_SUCCESS && !kept[index].persistent && !is_null(requests[i])) return;
    end_operation(call, index, status);
  };
  switch (traits.ends) {
    case Ends::one:
      if (flag) end(0, status_at(given, 0));
      break;
    case Ends::all:
      for (uint32_t i = 0; flag && i < checker.waiting; ++i) end(i, status_at(given, i));
      break;
    case Ends::any:
      if (flag && given.indx && *given.indx >= 0)
        end(static_cast<uint32_t>(*given.indx), status_at(given, 0));
      break;
    case Ends::some:
      // After some errors the library does not set the number.
      for (uint32_t i = 0;
           given.outcount && i < checker.waiting && static_cast<int>(i) < *given.outcount; ++i)
        end(static_cast<uint32_t>(given.array_of_indices[i]), status_at(given, i));
      break;
  }
}

}  // namespace plait::preload
