// SPDX-License-Identifier: BSD-3-Clause
// Posts the operations of a call before it is made, and ends them when it is over.
#include "preload/check/collectives.hpp"
#include "preload/check/requests.hpp"
#include "preload/check/types.hpp"
#include "preload/handle_map.hpp"

namespace plait::preload {
namespace {

HandleMap message_ops;  // matched messages to the receives that will take them

bool starts_request(const Arguments& given, const Traits& traits) {
  return given.request != nullptr && !traits.persistent;
}

plait_check_op new_op(const Call& call, const Checker& checker, plait_check_op_kind kind) {
  plait_check_op op = {};
  op.kind = kind;
  op.function = call.function;
  op.site = call.site;
  op.thread = checker.index;
  op.comm = checker.comm;
  op.peer = op.actual_peer = PLAIT_CHECK_NONE;
  op.tag = op.actual_tag = PLAIT_CHECK_NONE;
  return op;
}

plait_check_op send_op(const Call& call, const Checker& checker, const Traits& traits) {
  const Arguments& given = checker.given;
  plait_check_op op = new_op(call, checker, PLAIT_CHECK_SEND);
  const bool both = traits.role == Role::send_receive;
  const bool own_type = both && !traits.replaces;
  op.flags = traits.buffered ? PLAIT_CHECK_BUFFERED : 0;
  op.peer = kept_rank(given.dest);
  op.tag = kept_tag(both ? given.sendtag : given.tag);
  op.type = check_type(own_type ? given.sendtype : given.datatype);
  op.count = static_cast<uint64_t>(own_type ? given.sendcount : given.count);
  return op;
}

plait_check_op receive_op(const Call& call, const Checker& checker, const Traits& traits) {
  const Arguments& given = checker.given;
  plait_check_op op = new_op(call, checker, PLAIT_CHECK_RECEIVE);
  const bool both = traits.role == Role::send_receive;
  const bool own_type = both && !traits.replaces;
  op.peer = kept_rank(given.source);
  op.tag = kept_tag(both ? given.recvtag : given.tag);
  op.type = check_type(own_type ? given.recvtype : given.datatype);
  op.count = static_cast<uint64_t>(own_type ? given.recvcount : given.count);
  return op;
}

void post_of_call(Call& call, Checker& checker, plait_check_op op, bool nonblocking) {
  if (nonblocking) op.flags |= PLAIT_CHECK_NONBLOCKING;
  // A rank without data in a collective call (MPI_PROC_NULL as root) takes part in it.
  const bool nothing = op.kind != PLAIT_CHECK_COLLECTIVE && op.peer == PLAIT_CHECK_NULL;
  if (nothing && !nonblocking) return;
  const uint32_t index = post(call, checker, op);
  if (index == kNoOp) return;
  if (checker.posted++ == 0) checker.first_op = index;
}

void wait_for_posted(Checker& checker) {
  plait_check_thread& published = *checker.published;
  uint32_t waited = 0;
  for (uint32_t i = 0; i < checker.posted; ++i)
    if (!(check_op(checker.first_op + i).flags & PLAIT_CHECK_BUFFERED))
      published.ops[waited++] = checker.first_op + i;
  published.waited = waited;
  if (waited) published.wait = PLAIT_CHECK_WAIT_ALL;
}

void own_status_if_ignored(Checker& checker) {
  if (checker.given.status == MPI_STATUS_IGNORE) checker.given.status = checker.statuses;
}

void take_message(const Call& call, Checker& checker) {
  const Arguments& given = checker.given;
  if (!given.message) return;
  checker.message = word_of(*given.message);
  const uint32_t index = message_ops.find(checker.message);
  if (index == HandleMap::kAbsent) return;
  message_ops.remove(checker.message);
  plait_check_op& op = check_op(index);
  op.function = call.function;
  op.site = call.site;
  op.type = check_type(given.datatype);
  op.count = static_cast<uint64_t>(given.count);
  if (given.request) op.flags |= PLAIT_CHECK_NONBLOCKING;
  checker.first_op = index;
  checker.posted = 1;
}

// A matched message is posted as a receive, because messages are matched in the order of probes.
void keep_message(Call& call, Checker& checker) {
  const Arguments& given = checker.given;
  if (given.flag && !*given.flag) return;
  if (!given.message || given.status == MPI_STATUS_IGNORE) return;
  plait_check_op op = new_op(call, checker, PLAIT_CHECK_RECEIVE);
  op.flags = PLAIT_CHECK_MATCHED;
  op.peer = op.actual_peer = kept_rank(given.status->MPI_SOURCE);
  op.tag = op.actual_tag = kept_tag(given.status->MPI_TAG);
  if (op.peer == PLAIT_CHECK_NULL) return;
  const uint32_t index = post(call, checker, op);
  if (index != kNoOp) message_ops.set(word_of(*given.message), index);
}

void end_blocking(Checker& checker, const Traits& traits) {
  const MPI_Status* status = checker.given.status;
  for (uint32_t i = 0; i < checker.posted; ++i) {
    plait_check_op& op = check_op(checker.first_op + i);
    if (traits.role != Role::matched_receive && status && status != MPI_STATUS_IGNORE)
      take_status(&op, *status);
    keep_end(checker, &op, true);
    __atomic_store_n(&op.state, static_cast<uint8_t>(PLAIT_CHECK_COMPLETE), __ATOMIC_RELEASE);
  }
}

// A call that refused its arguments did nothing: the program may make it again. A collective call
// that failed later still counts for the other processes.
void end_failed(Checker& checker, int error_class) {
  const Arguments& given = checker.given;
  const bool refused = is_about_arguments(error_class);
  for (uint32_t i = 0; i < checker.posted; ++i) {
    const uint32_t index = checker.first_op + i;
    plait_check_op& op = check_op(index);
    if ((op.flags & PLAIT_CHECK_MATCHED) != 0 && given.message) {
      // Unless the message is gone, it can still be received.
      if (word_of(*given.message) != checker.message) {
        op.state = PLAIT_CHECK_COMPLETE;
        continue;
      }
      op.flags &= static_cast<uint16_t>(~PLAIT_CHECK_NONBLOCKING);
      op.type = 0;
      message_ops.set(checker.message, index);
    } else if (op.kind == PLAIT_CHECK_COLLECTIVE && !refused) {
      op.state = PLAIT_CHECK_COMPLETE;
    } else {
      op.state = PLAIT_CHECK_FAILED;
      if (op.kind == PLAIT_CHECK_COLLECTIVE) give_back_ordinal(op.comm, op.ordinal);
    }
  }
}

void keep_prepared(Call& call, Checker& checker, const Traits& traits) {
  const Arguments& given = checker.given;
  plait_check_op shape = traits.role == Role::send      ? send_op(call, checker, traits)
                         : traits.role == Role::receive ? receive_op(call, checker, traits)
                                                        : new_op(call, checker, PLAIT_CHECK_OTHER);
  shape.flags |= PLAIT_CHECK_NONBLOCKING;
  Buffer buffer = {};
  if (shape.kind != PLAIT_CHECK_OTHER && shape.peer != PLAIT_CHECK_NULL)
    buffer = buffer_of(given.buf, given.count, given.datatype, shape.kind == PLAIT_CHECK_SEND);
  keep_persistent(call, word_of(*given.request), given.request, shape, buffer);
}

/// Posts the operations of a call, and records what it waits for.
void post_by_role(Call& call, Checker& checker, const Traits& traits) {
  const Arguments& given = checker.given;
  const bool nonblocking = starts_request(given, traits);
  switch (traits.role) {
    case Role::send:
      if (!traits.persistent)
        post_of_call(call, checker, send_op(call, checker, traits), nonblocking);
      break;
    case Role::receive:
      if (!traits.persistent)
        post_of_call(call, checker, receive_op(call, checker, traits), nonblocking);
      break;
    case Role::send_receive:
      own_status_if_ignored(checker);
      post_of_call(call, checker, send_op(call, checker, traits), nonblocking);
      post_of_call(call, checker, receive_op(call, checker, traits), nonblocking);
      break;
    case Role::probe:
    case Role::matched_probe:
      own_status_if_ignored(checker);
      if (!given.flag) {
        plait_check_op op = new_op(call, checker, PLAIT_CHECK_PROBE);
        op.peer = kept_rank(given.source);
        op.tag = kept_tag(given.tag);
        post_of_call(call, checker, op, false);
      }
      break;
    case Role::matched_receive:
      take_message(call, checker);
      break;
    case Role::collective: {
      plait_check_op op = new_op(call, checker, PLAIT_CHECK_COLLECTIVE);
      op.ordinal = checker.ordinal = next_ordinal(checker.comm);
      describe_collective(checker, traits, &op);
      post_of_call(call, checker, op, nonblocking);
      break;
    }
    case Role::start:
      starts_begin(call, checker);
      break;
    case Role::cancel:
      if (given.request) cancel_operation(word_of(*given.request), given.request);
      break;
    case Role::wait:
    case Role::test:
      wait_begins(checker, traits);
      return;
    case Role::finalize:
      checker.published->wait = PLAIT_CHECK_WAIT_FINALIZE;
      return;
    case Role::other:
    case Role::init:
      break;
  }
  if (!nonblocking) wait_for_posted(checker);
}

}  // namespace

int32_t kept_rank(int rank) {
  return rank == MPI_PROC_NULL    ? PLAIT_CHECK_NULL
         : rank == MPI_ANY_SOURCE ? PLAIT_CHECK_ANY
         : rank == MPI_ROOT       ? PLAIT_CHECK_ROOT
                                  : rank;
}

int32_t kept_tag(int tag) {
  return tag == MPI_ANY_TAG ? PLAIT_CHECK_ANY : tag;
}

void keep_end(const Checker& checker, plait_check_op* op, bool awaited) {
  op->ended_by = checker.index + 1;
  op->ended_after = checker.after;
  if (awaited) op->flags |= PLAIT_CHECK_AWAITED;
  if (checker.no_status && op->kind == PLAIT_CHECK_RECEIVE) op->flags |= PLAIT_CHECK_NO_STATUS;
}

void take_status(plait_check_op* op, const MPI_Status& status) {
  if (op->kind != PLAIT_CHECK_RECEIVE) return;
  const int32_t source = kept_rank(status.MPI_SOURCE), tag = kept_tag(status.MPI_TAG);
  if (source < 0 || (op->peer != PLAIT_CHECK_ANY && op->peer != source)) return;
  if (tag < 0 || (op->tag != PLAIT_CHECK_ANY && op->tag != tag)) return;
  op->actual_peer = source;
  op->actual_tag = tag;
}

int error_class(int code) {
  int kind = MPI_SUCCESS;
  if (code != MPI_SUCCESS) call_real<kFunction_Error_class>(code, &kind);
  return kind;
}

bool is_about_arguments(int error_class) {
  for (const int known : kArgumentErrors)
    if (known == error_class) return true;
  return false;
}

uint32_t post(Call&, Checker&, const plait_check_op& shape) {
  if (check_file->ops_before_limit) return kNoOp;
  auto* op = static_cast<plait_check_op*>(check_append(PLAIT_CHECK_OPS));
  if (!op) return kNoOp;
  *op = shape;
  const uint32_t index = check_count(PLAIT_CHECK_OPS);
  check_publish(PLAIT_CHECK_OPS);
  return index;
}

void post_operations(Call& call, Checker& checker) {
  const Traits& traits = traits_of(call.function);
  const Arguments& given = checker.given;
  // The wrapper of a receive has replaced a status that the program does not want.
  checker.no_status = (given.status == MPI_STATUS_IGNORE || given.status == &call.status) &&
                      (!given.array_of_statuses || given.array_of_statuses == MPI_STATUSES_IGNORE);
  post_by_role(call, checker, traits);
  checker.after = check_count(PLAIT_CHECK_OPS);
}

void end_operations(Call& call, Checker& checker, int code) {
  const Traits& traits = traits_of(call.function);
  const Arguments& given = checker.given;
  if (traits.role == Role::wait || traits.role == Role::test)
    return wait_ends(call, checker, traits, code);
  const int kind = error_class(code);
  if (traits.role == Role::start) return starts_end(checker, kind == MPI_SUCCESS);
  if (kind != MPI_SUCCESS && kind != MPI_ERR_TRUNCATE) return end_failed(checker, kind);
  if (traits.role == Role::matched_probe) keep_message(call, checker);
  const bool kept_before = traits.role == Role::cancel;
  // Truncated at once, or a failure that an error handler has turned into a success.
  const bool begins_none = given.request && (kind != MPI_SUCCESS || *given.request == no_request());
  if (!given.request || kept_before || begins_none || call.function == kFunction_Request_free) {
    end_blocking(checker, traits);
    return;
  }
  if (traits.persistent) {
    end_blocking(checker, traits);
    keep_prepared(call, checker, traits);
    return;
  }
  if (checker.posted == 0) {
    plait_check_op op = new_op(call, checker, PLAIT_CHECK_OTHER);
    post_of_call(call, checker, op, true);
  }
  if (checker.posted) keep_operation(call, checker, word_of(*given.request), given.request);
}

}  // namespace plait::preload
