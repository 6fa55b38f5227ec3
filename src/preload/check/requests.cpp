// SPDX-License-Identifier: BSD-3-Clause
// Requests between the call that started them and the one that ends them.
#include "preload/check/requests.hpp"

#include <initializer_list>

#include "preload/handle_map.hpp"

namespace plait::preload {
namespace {

Pool<KeptOperation> kept;
HandleMap first_of;  // handle to the first kept operation of that handle
HandleMap of_place;  // handle and place to a kept operation

uint32_t first(Word handle) {
  const uint32_t index = first_of.find(handle);
  return index == HandleMap::kAbsent ? 0 : index;
}

uint64_t place_key(Word handle, const void* place) {
  return (handle * 0x9e3779b97f4a7c15u) ^ reinterpret_cast<uintptr_t>(place);
}

/// Where the last search among equal handles ended. All before it have been matched.
struct Searched {
  Word handle = 0;
  uint32_t last = 0;
};

// The request that the program keeps at `place`; else the oldest one that no other request of this
// call has been matched with. Many may have the same handle.
uint32_t find_operation(Word handle, const void* place, Searched* searched) {
  const uint32_t there = of_place.find(place_key(handle, place));
  if (there != HandleMap::kAbsent && !kept[there].claimed) return there;
  const bool go_on = searched->last && searched->handle == handle;
  uint32_t index = go_on ? kept[searched->last].next : first(handle);
  while (index && kept[index].claimed) index = kept[index].next;
  if (index) *searched = {handle, index};
  return index;
}

bool is_shared(Word handle) {
  const uint32_t index = first(handle);
  return index && kept[index].next;
}

// Appends it to those of its handle.
void link(uint32_t index, Word handle, const void* place) {
  const uint32_t head = first(handle);
  KeptOperation& operation = kept[index];
  operation.handle = handle;
  operation.place = place;
  operation.next = 0;
  operation.previous = head ? kept[head].last : 0;
  if (head) {
    kept[kept[head].last].next = index;
    kept[head].last = index;
  } else {
    operation.last = index;
    first_of.set(handle, index);
  }
  const uint64_t key = place_key(handle, place);
  if (of_place.find(key) == HandleMap::kAbsent) of_place.set(key, index);
}

void unlink(uint32_t index) {
  const KeptOperation& operation = kept[index];
  const uint32_t head = first(operation.handle);
  if (operation.next) kept[operation.next].previous = operation.previous;
  if (operation.previous) kept[operation.previous].next = operation.next;
  if (head != index) {
    if (kept[head].last == index) kept[head].last = operation.previous;
  } else if (operation.next) {
    kept[operation.next].last = operation.last;
    first_of.set(operation.handle, operation.next);
  } else {
    first_of.remove(operation.handle);
  }
  const uint64_t key = place_key(operation.handle, operation.place);
  if (of_place.find(key) == index) of_place.remove(key);
}

uint32_t insert(Word handle, const void* place) {
  const uint32_t index = kept.take();
  if (!index) return 0;
  kept[index].op = kept[index].second = kNoOp;
  link(index, handle, place);
  return index;
}

void remove(uint32_t index) {
  unlink(index);
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

void end_op(const Checker& checker, uint32_t index, uint32_t op, const MPI_Status* status,
            int error_class) {
  plait_check_op& ended = check_op(op);
  uint8_t state = PLAIT_CHECK_COMPLETE;
  if (kept[index].cancelled && status) {
    int flag = 0;
    call_real<kFunction_Test_cancelled>(status, &flag);
    if (flag) state = PLAIT_CHECK_CANCELLED;
  }
  const bool completed = error_class == MPI_SUCCESS || error_class == MPI_ERR_TRUNCATE;
  if (!completed) ended.flags |= PLAIT_CHECK_UNCERTAIN;
  // MPICH 4.0 leaves the status of MPI_Isendrecv as it was.
  const bool is_known = completed && kept[index].second == kNoOp;
  if (status && is_known && state == PLAIT_CHECK_COMPLETE) take_status(&ended, *status);
  const Traits& traits = traits_of(checker.published->function);
  keep_end(checker, &ended,
           traits.role == Role::wait && (traits.ends == Ends::one || traits.ends == Ends::all));
  __atomic_store_n(&ended.state, state, __ATOMIC_RELEASE);
}

// The communicator of MPI_Comm_idup.
void keep_new_comm(Call& call, const KeptOperation& operation) {
  if (!operation.new_comm || *operation.new_comm == no_comm()) return;
  const Word made = word_of(*operation.new_comm);
  keep_comm(call, made, operation.base);
  if (operation.op == kNoOp) return;
  const plait_check_op& op = check_op(operation.op);
  keep_object(PLAIT_CHECK_COMM, made, op.function, op.site);
}

void end_operation(Call& call, const Checker& checker, uint32_t index, const MPI_Status* status,
                   int error_class) {
  KeptOperation& operation = kept[index];
  if (operation.op != kNoOp) {
    // If several requests share a handle, it is not certain which one this is.
    if (!is_shared(operation.handle) && has_changed(operation.buffer))
      find({PLAIT_CHECK_BUFFER_CHANGED, call.function, call.site, operation.op, 0, 0, 1});
    end_op(checker, index, operation.op, status, error_class);
    if (operation.second != kNoOp) end_op(checker, index, operation.second, status, error_class);
  }
  if (error_class == MPI_SUCCESS) keep_new_comm(call, operation);
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

const MPI_Request* requests_of(const Arguments& given) {
  return given.request ? given.request : given.array_of_requests;
}

// Finds what is kept of the call's requests; returns their number, 0 without memory.
uint32_t look_up_requests(Checker& checker) {
  const uint32_t count = requests_in(checker.given);
  const MPI_Request* requests = requests_of(checker.given);
  checker.waiting = 0;
  if (!make_room(checker.waited, checker.wait_room, count)) return 0;
  Searched searched;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index =
        is_null(requests[i]) ? 0 : find_operation(word_of(requests[i]), &requests[i], &searched);
    checker.waited[i] = index;
    if (index) kept[index].claimed = true;
  }
  return checker.waiting = count;
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

void starts_begin(Call& call, Checker& checker) {
  const uint32_t count = look_up_requests(checker);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index = checker.waited[i];
    if (!index) continue;
    kept[index].claimed = false;
    if (!kept[index].persistent) {
      checker.waited[i] = 0;
      continue;
    }
    plait_check_op shape = kept[index].shape;
    shape.site = call.site;
    shape.thread = checker.index;
    shape.flags |= PLAIT_CHECK_STARTED;
    kept[index].op = post(call, checker, shape);
    sum_again(kept[index].buffer);
    compare_buffers(call, index);
  }
}

void starts_end(const Checker& checker, bool succeeded) {
  const MPI_Request* requests = requests_of(checker.given);
  for (uint32_t i = 0; i < checker.waiting; ++i) {
    const uint32_t index = checker.waited[i];
    if (!index) continue;
    if (!succeeded && kept[index].op != kNoOp) {
      check_op(kept[index].op).state = PLAIT_CHECK_FAILED;
      kept[index].op = kNoOp;
    }
    // Open MPI makes another request while it still sends what the last start sent.
    if (is_null(requests[i])) continue;
    unlink(index);
    link(index, word_of(requests[i]), &requests[i]);
  }
}

void cancel_operation(Word handle, const void* place) {
  Searched searched;
  if (const uint32_t index = find_operation(handle, place, &searched)) kept[index].cancelled = true;
}

void free_operation(Word handle) {
  const uint32_t index = first(handle);
  if (!index) return;
  const KeptOperation& operation = kept[index];
  for (const uint32_t op : {operation.op, operation.second}) {
    if (op == kNoOp) continue;
    if (operation.cancelled) check_op(op).flags |= PLAIT_CHECK_UNCERTAIN;
    check_op(op).state = PLAIT_CHECK_FREED;
  }
  if (operation.persistent) drop_object(operation.object);
  remove(index);
}

void wait_begins(Checker& checker, const Traits& traits) {
  Arguments& given = checker.given;
  const uint32_t count = look_up_requests(checker);
  if (!make_room(checker.statuses, checker.status_room, count + 1)) {
    checker.waiting = 0;
    return;
  }
  if (given.status == MPI_STATUS_IGNORE && !given.array_of_statuses)
    given.status = checker.statuses;
  if (given.array_of_statuses == MPI_STATUSES_IGNORE && traits.ends != Ends::any &&
      traits.ends != Ends::one)
    given.array_of_statuses = checker.statuses;
  const MPI_Request* requests = requests_of(given);
  plait_check_thread& published = *checker.published;
  uint32_t waited = 0, unknown = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index = checker.waited[i];
    if (!index) {
      unknown += is_null(requests[i]) ? 0 : 1;
      continue;
    }
    for (const uint32_t op : {kept[index].op, kept[index].second}) {
      if (op == kNoOp) continue;
      if (waited < PLAIT_CHECK_WAITED) published.ops[waited] = op;
      ++waited;
    }
  }
  published.waited = waited;
  published.unknown = unknown;
  const bool any = traits.ends == Ends::any || traits.ends == Ends::some;
  if (traits.role == Role::wait && waited)
    published.wait = any ? PLAIT_CHECK_WAIT_ANY : PLAIT_CHECK_WAIT_ALL;
}

void keep_polled(Checker& checker) {
  plait_check_polls& polls = checker.published->polls;
  const MPI_Request* requests = requests_of(checker.given);
  for (uint32_t i = 0; i < checker.waiting; ++i) {
    const uint32_t index = checker.waited[i];
    if (!index) {
      if (!is_null(requests[i])) polls.unknown = 1;
      continue;
    }
    if (kept[index].polled == checker.epoch) continue;
    kept[index].polled = checker.epoch;
    for (const uint32_t op : {kept[index].op, kept[index].second}) {
      if (op == kNoOp) continue;
      if (polls.polled < PLAIT_CHECK_WAITED) polls.ops[polls.polled] = op;
      ++polls.polled;
    }
  }
  if (!checker.waiting) polls.unknown = 1;  // no memory
}

void wait_ends(Call& call, Checker& checker, const Traits& traits, int code) {
  const Arguments& given = checker.given;
  const MPI_Request* requests = requests_of(given);
  for (uint32_t i = 0; i < checker.waiting; ++i)
    if (checker.waited[i]) kept[checker.waited[i]].claimed = false;
  const int kind = error_class(code);
  const bool single = traits.ends == Ends::one || traits.ends == Ends::any;
  const auto end = [&](uint32_t i, const MPI_Status* status) {
    const uint32_t index = i < checker.waiting ? checker.waited[i] : 0;
    if (!index || kept[index].op == kNoOp) return;
    // Each status says how its request ended; the error of a single request is that of the call.
    // After another error only the requests that are gone have ended.
    int own = kind;
    if (kind == MPI_ERR_IN_STATUS && status) own = error_class(status->MPI_ERROR);
    const bool ended = kind == MPI_SUCCESS || kind == MPI_ERR_IN_STATUS ||
                       (single && !is_about_arguments(kind)) ||
                       (!kept[index].persistent && is_null(requests[i]));
    if (ended && own != MPI_ERR_PENDING) end_operation(call, checker, index, status, own);
  };
  // After an error the library may not have set the flag.
  const bool flag = traits.role == Role::wait || kind != MPI_SUCCESS || (given.flag && *given.flag);
  if (is_about_arguments(kind) && (traits.ends == Ends::any || traits.ends == Ends::some)) {
    // Nor which requests have ended.
    for (uint32_t i = 0; i < checker.waiting; ++i)
      if (is_null(requests[i])) end(i, nullptr);
    return;
  }
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
      for (uint32_t i = 0; i < checker.waiting && static_cast<int>(i) < *given.outcount; ++i)
        end(static_cast<uint32_t>(given.array_of_indices[i]), status_at(given, i));
      break;
  }
}

}  // namespace plait::preload
