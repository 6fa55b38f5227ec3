// SPDX-License-Identifier: BSD-3-Clause
// Writes the events of messages, collectives and all calls that complete nothing.
#include "preload/trace/calls.hpp"

#include "preload/calls/operations.hpp"
#include "preload/calls/requests.hpp"
#include "preload/calls/traffic.hpp"
#include "preload/trace/datatypes.hpp"
#include "preload/trace/emit.hpp"

namespace plait::preload::trace {
namespace {

uint32_t wildcard_flag(int source, int tag) {
  const bool open = source == MPI_ANY_SOURCE || (tag == MPI_ANY_TAG && source != MPI_PROC_NULL);
  return open ? PLAIT_SHAPE_WILDCARD : 0;
}

// The shape of a message's half of a call. `flags`: VARIES leaves out the tag.
ShapeKey message_key(const Call& call, plait_shape_kind kind, uint32_t flags, int rank, int tag) {
  const int shown = static_cast<int>(tag_word(tag));
  return {what_of(kind, flags, call.function, call.site), whom_of(call.comm, peer_of(rank)),
          tag_of(flags & PLAIT_SHAPE_VARIES ? 0 : shown), 0};
}

// A persistent request was made: its starts will be events, this call moves nothing. Also in
// pauses, after which it may be started.
void prepare(const Call& call, const ShapeKey& key, const MPI_Request* request, uint32_t flags) {
  Stream* s = call.is_internal() ? nullptr : own_stream();
  ShapeSlot* slot = s ? find_shape(s, key) : nullptr;
  KeptRequest kept;
  if (slot && find_request(word_of(*request), &kept))
    keep(word_of(*request), {0, kept.total, 0, flags | kPersistent, slot->shape - 1});
  other(call);
}

__attribute__((noinline)) ShapeSlot* learn_message_shape(Stream* s, const Call& call, How how,
                                                         plait_shape_kind kind, MPI_Datatype type,
                                                         int rank, int tag) {
  const bool receives = kind == PLAIT_EVENT_RECV || kind == PLAIT_EVENT_IRECV;
  const uint32_t flags =
      how.flags | s->varies | (receives ? wildcard_flag(rank, tag) : 0) | derived_flag(s, type);
  ShapeSlot* slot = find_shape(s, message_key(call, kind, flags, rank, tag));
  if (!slot) return lose_event(), nullptr;
  memo_of(s, call.site, rank) = {what_of(kind, how.flags, call.function, call.site),
                                 rank,
                                 tag,
                                 word_of(type),
                                 call.comm,
                                 slot};
  return slot;
}

// The shape of a call that is one message; most of those that follow have the arguments of an
// earlier one. Null: lost.
__attribute__((always_inline)) inline ShapeSlot* find_message_shape(Stream* s, const Call& call,
                                                                    How how, plait_shape_kind kind,
                                                                    MPI_Datatype type, int rank,
                                                                    int tag) {
  const uint64_t what = what_of(kind, how.flags, call.function, call.site);
  const Memo& memo = memo_of(s, call.site, rank);
  const bool types_are_as_then =
      s->types_seen == __atomic_load_n(&type_generation, __ATOMIC_ACQUIRE);
  if (__builtin_expect(types_are_as_then && fits(memo, what, rank, tag, word_of(type), call.comm),
                       1))
    return memo.slot;
  return learn_message_shape(s, call, how, kind, type, rank, tag);
}

// Counts the sending half of a call whose event was left out.
void leave_out_send(Stream* s, const Call& call, How how, int dest, int tag) {
  if (dest == MPI_PROC_NULL) return;
  count_left_out(s, PLAIT_EVENT_SEND, how.flags & PLAIT_SHAPE_PARTITIONED, call.comm, dest, tag);
}

// Counts the receiving half of such a call. `request`: null if it has ended, with that status.
void leave_out_receive(Stream* s, const Call& call, How how, int source, int tag,
                       const MPI_Request* request, const MPI_Status* status) {
  if (source == MPI_PROC_NULL) return;
  if (wildcard_flag(source, tag)) {
    if (request) return keep_left_out(s, word_of(*request), call.comm);
    if (!status) return;
    source = status->MPI_SOURCE;
    tag = status->MPI_TAG;
  }
  count_left_out(s, PLAIT_EVENT_RECV, how.flags & PLAIT_SHAPE_PARTITIONED, call.comm, source, tag);
}

__attribute__((noinline, cold)) void leave_out_message(const Call& call, How how,
                                                       plait_shape_kind kind, int rank, int tag,
                                                       const MPI_Request* request,
                                                       const MPI_Status* status) {
  Stream* s = gap_stream(call);
  if (!s) return;
  const bool receives = kind == PLAIT_EVENT_RECV || kind == PLAIT_EVENT_IRECV;
  if (!receives) return leave_out_send(s, call, how, rank, tag);
  leave_out_receive(s, call, how, rank, tag, request, status);
}

// A call that is one message, or starts it.
__attribute__((always_inline)) inline void message(const Call& call, How how, plait_shape_kind kind,
                                                   MPI_Datatype type, int rank, int tag,
                                                   const MPI_Request* request,
                                                   const MPI_Status* status) {
  Stream* s = stream_for(call);
  if (__builtin_expect(s == nullptr, 0))
    return leave_out_message(call, how, kind, rank, tag, request, status);
  ShapeSlot* slot = find_message_shape(s, call, how, kind, type, rank, tag);
  if (__builtin_expect(slot == nullptr, 0)) return;
  const auto flags = static_cast<uint32_t>(slot->key.what >> 8);
  uint32_t* at = begin_event(s, slot, call.began, call.ended - call.began, false, call.bytes, 3);
  if (__builtin_expect(at == nullptr, 0)) return;
  if (__builtin_expect(flags & PLAIT_SHAPE_VARIES, 0)) *at++ = tag_word(tag);
  if (status && (flags & PLAIT_SHAPE_WILDCARD)) {
    *at++ = source_name(status->MPI_SOURCE);
    *at++ = tag_word(status->MPI_TAG);
  }
  end_event(s, at);
  if (request) start_request(s, word_of(*request), flags & PLAIT_SHAPE_WILDCARD ? kWildcard : 0);
}

// The persistent request of a message. Its tag is written: it is only known here.
void prepare_message(const Call& call, How how, plait_shape_kind kind, MPI_Datatype type, int rank,
                     int tag, uint32_t wildcard, const MPI_Request* request) {
  Stream* s = own_stream();
  const uint32_t flags =
      how.flags | PLAIT_SHAPE_PERSISTENT | wildcard | (s ? derived_flag(s, type) : 0);
  prepare(call, message_key(call, kind, flags, rank, tag), request, wildcard ? kWildcard : 0);
}

// Begins the event of a call that sends and receives. Returns the words of the receiving half;
// null: no room.
uint32_t* begin_both(Stream* s, const Call& call, How how, const ShapeKey& sends,
                     const ShapeKey& receives, int sendtag, uint64_t received) {
  const ShapeSlot* half = find_shape(s, receives);
  if (!half) return lose_event(), nullptr;
  const uint32_t half_shape = half->shape - 1;
  uint32_t* at = begin_call(s, call, sends, 6);
  if (!at) return nullptr;
  if (how.flags & PLAIT_SHAPE_VARIES) *at++ = tag_word(sendtag);
  *at++ = half_shape;
  *at++ = static_cast<uint32_t>(received);
  *at++ = static_cast<uint32_t>(received >> 32);
  return at;
}

void write_epoch(const Call& call, How how, int target, const int32_t* partners, int count) {
  Stream* s = stream_for(call);
  if (!s) return;
  const ShapeKey key{what_of(PLAIT_EVENT_EPOCH, how.flags, call.function, call.site),
                     whom_of(call.comm, target), tag_of(PLAIT_ANY_TAG), 0};
  uint32_t* at = begin_call(s, call, key, 1 + static_cast<uint64_t>(count));
  if (!at) return;
  *at++ = static_cast<uint32_t>(count);
  for (int i = 0; i < count; ++i) *at++ = static_cast<uint32_t>(partners[i]);
  end_event(s, at);
}

}  // namespace

void add_poll(Stream* s, const Call& call, const ShapeKey& key, const uint32_t* tag_word) {
  constexpr double kApart_s = 1e-6;  // polls further apart than this have work between them
  static uint64_t apart;
  if (__builtin_expect(apart == 0, 0))
    apart = static_cast<uint64_t>(record->ticks_per_s * kApart_s) + 1;
  ShapeSlot* slot = find_shape(s, key);
  if (!slot) return lose_event();
  const uint32_t i = s->poll_event;
  const bool goes_on = s->poll_count && i + 1 == s->events && s->poll_chunk == s->sequence &&
                       !tag_word && call.began - s->last < apart;
  uint32_t known = 0;
  while (goes_on && known < s->poll_count && s->poll_shapes[known] != slot->shape) ++known;
  if (goes_on && known < s->poll_count) {
    const uint64_t duration = s->durations[i] + (call.ended - s->last);
    if (duration < PLAIT_LONG) {
      s->durations[i] = static_cast<uint32_t>(duration);
      s->last = call.ended;
      ++s->words_next[-1];
      return;
    }
  }
  uint32_t* at = begin_event(s, slot, call.began, call.ended - call.began, false, 0, 3);
  if (!at) return;
  if (tag_word) *at++ = *tag_word;
  *at++ = 0;
  *at++ = 1;
  if (!goes_on || s->poll_count == Stream::kPollShapes) s->poll_count = 0;
  s->poll_shapes[s->poll_count++] = slot->shape;
  s->poll_event = s->events;
  s->poll_chunk = s->sequence;
  end_event(s, at);
}

void other(const Call& call) {
  Stream* s = stream_for(call);
  if (!s) return;
  ShapeSlot* slot = find_plain_shape(s, PLAIT_EVENT_OTHER, 0, call.function, call.site);
  if (!slot) return lose_event();
  if (uint32_t* at =
          begin_event(s, slot, call.began, call.ended - call.began, false, call.bytes, 0))
    end_event(s, at);
}

void send(const Call& call, How how, MPI_Datatype type, int dest, int tag,
          const MPI_Request* request) {
  if (how.starts == kPreparesOnly)
    return prepare_message(call, how, PLAIT_EVENT_ISEND, type, dest, tag, 0, request);
  if (how.starts == kBlocking)
    return message(call, how, PLAIT_EVENT_SEND, type, dest, tag, nullptr, nullptr);
  message(call, how, PLAIT_EVENT_ISEND, type, dest, tag, request, nullptr);
}

void receive(const Call& call, How how, MPI_Datatype type, int source, int tag,
             const MPI_Status* status) {
  message(call, how, PLAIT_EVENT_RECV, type, source, tag, nullptr, status);
}

void ireceive(const Call& call, How how, MPI_Datatype type, int source, int tag,
              const MPI_Request* request) {
  if (how.starts == kPreparesOnly)
    return prepare_message(call, how, PLAIT_EVENT_IRECV, type, source, tag,
                           wildcard_flag(source, tag), request);
  message(call, how, PLAIT_EVENT_IRECV, type, source, tag, request, nullptr);
}

void sendrecv(const Call& call, How how, MPI_Datatype sendtype, int dest, int sendtag,
              MPI_Datatype recvtype, int source, int recvtag, const MPI_Status* status) {
  Stream* s = stream_for(call);
  if (!s) {
    if (!(s = gap_stream(call))) return;
    leave_out_send(s, call, how, dest, sendtag);
    return leave_out_receive(s, call, how, source, recvtag, nullptr, status);
  }
  how.flags |= s->varies;
  const uint32_t flags = how.flags | wildcard_flag(source, recvtag);
  uint32_t* at = begin_both(
      s, call, how,
      message_key(call, PLAIT_EVENT_SENDRECV, how.flags | derived_flag(s, sendtype), dest, sendtag),
      message_key(call, PLAIT_EVENT_RECV, flags | derived_flag(s, recvtype), source, recvtag),
      sendtag, source == MPI_PROC_NULL ? 0 : status_bytes(*status));
  if (!at) return;
  *at++ = source_name(source == MPI_PROC_NULL ? source : status->MPI_SOURCE);
  *at++ = tag_word(source == MPI_PROC_NULL ? recvtag : status->MPI_TAG);
  end_event(s, at);
}

void isendrecv(const Call& call, How how, MPI_Datatype sendtype, int dest, int sendtag,
               MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
               const MPI_Request* request) {
  Stream* s = stream_for(call);
  if (!s) {
    if (!(s = gap_stream(call))) return;
    leave_out_send(s, call, how, dest, sendtag);
    return leave_out_receive(s, call, how, source, recvtag, request, nullptr);
  }
  how.flags |= s->varies;
  const uint32_t wildcard = wildcard_flag(source, recvtag);
  const uint32_t flags = how.flags | wildcard | derived_flag(s, recvtype);
  uint32_t* at = begin_both(s, call, how,
                            message_key(call, PLAIT_EVENT_ISENDRECV,
                                        how.flags | derived_flag(s, sendtype), dest, sendtag),
                            message_key(call, PLAIT_EVENT_IRECV, flags, source, recvtag), sendtag,
                            bytes_of(call.thread, recvcount, recvtype));
  if (!at) return;
  *at++ = source_name(source);
  *at++ = tag_word(recvtag);
  end_event(s, at);
  start_request(s, word_of(*request), wildcard ? kWildcard : 0);
}

void probe(const Call& call, How how, int source, int tag, const int* flag,
           const MPI_Message* message, const MPI_Status* status) {
  Stream* s = stream_for(call);
  if (!s) {
    s = message && (!flag || *flag) ? gap_stream(call) : nullptr;
    if (s) leave_out_receive(s, call, how, source, tag, nullptr, status);
    return;
  }
  const uint32_t flags = how.flags | s->varies | wildcard_flag(source, tag);
  const plait_shape_kind kind = message ? PLAIT_EVENT_MPROBE : PLAIT_EVENT_PROBE;
  const ShapeKey key = message_key(call, kind, flags, source, tag);
  const uint32_t asked_tag = tag_word(tag);
  const bool varies = flags & PLAIT_SHAPE_VARIES;
  if (flag && !*flag) return add_poll(s, call, key, varies ? &asked_tag : nullptr);
  uint32_t* at = begin_call(s, call, key, 4);
  if (!at) return;
  if (varies) *at++ = asked_tag;
  *at++ = 1;
  *at++ = source_name(status->MPI_SOURCE);
  *at++ = tag_word(status->MPI_TAG);
  end_event(s, at);
  if (message) start_request(s, word_of(*message), kMessage);
}

void mreceive(const Call& call, How how) {
  Request ended{};
  Stream* s = stream_for(call);
  const bool known = stream && end(call.handle, true, &ended);
  if (!s) return;
  const ShapeKey key = plain_key(PLAIT_EVENT_MRECV, how.flags, call.function, call.site);
  uint32_t* at = begin_call(s, call, key, 2);
  if (!at) return;
  if (known) {
    at = refer(s, at, ended, 0);
  } else {
    *at++ = PLAIT_REFERENCE_UNKNOWN;
  }
  end_event(s, at);
}

void imreceive(const Call& call, How how, const MPI_Request* request) {
  Request moved{};
  Stream* s = stream_for(call);
  const bool known = stream && end(call.handle, true, &moved);
  if (!s) return;
  const ShapeKey key = plain_key(PLAIT_EVENT_IMRECV, how.flags, call.function, call.site);
  uint32_t* at = begin_call(s, call, key, 2);
  if (!at) return;
  if (known) {
    at = refer(s, at, moved, 0);
    moved.flags &= ~uint32_t{kMessage};
    keep(word_of(*request), moved);
  } else {
    *at++ = PLAIT_REFERENCE_UNKNOWN;
  }
  end_event(s, at);
}

void start(const Call& call, How how, int count, const MPI_Request* requests) {
  Stream* s = stream_for(call);
  if (!s) {
    s = gap_stream(call);
    for (int i = 0; s && i < count; ++i) {
      Request made{};
      if (activate(word_of(requests[i]), 0, s->number, &made)) count_shape_left_out(s, made.shape);
    }
    return;
  }
  ShapeSlot* slot = find_plain_shape(s, PLAIT_EVENT_START, how.flags, call.function, call.site);
  if (!slot) return lose_event();
  uint64_t began = call.began;
  int next = 0;
  do {
    const int last = count - next > kMostReferences ? next + kMostReferences : count;
    const auto words = 1 + 3 * static_cast<uint64_t>(last - next);
    uint32_t* at = begin_event(s, slot, began, call.ended - began, false, 0, words);
    if (!at) return;
    uint32_t* const started = at++;
    *started = 0;
    for (; next < last; ++next) {
      Request made{};
      if (!activate(word_of(requests[next]), s->requests + 1, s->number, &made)) continue;
      ++s->requests;
      ++*started;
      *at++ = made.shape;
      *at++ = static_cast<uint32_t>(made.bytes);
      *at++ = static_cast<uint32_t>(made.bytes >> 32);
    }
    end_event(s, at);
    began = call.ended;
  } while (next < count);
}

void collective(const Call& call, How how, int root, uint64_t received, bool varies, Word operation,
                const MPI_Request* request) {
  const int peer = root == kNoRoot         ? PLAIT_NO_PEER
                   : root == MPI_ROOT      ? PLAIT_ROOT_PEER
                   : root == MPI_PROC_NULL ? PLAIT_NULL_PEER
                                           : root;
  const bool persistent = how.starts == kPreparesOnly;
  Stream* s = persistent ? nullptr : stream_for(call);
  if (!persistent && !s) {
    if ((s = gap_stream(call)))
      count_left_out(s, PLAIT_EVENT_COLLECTIVE, 0, call.comm, PLAIT_NO_PEER, PLAIT_ANY_TAG);
    return;
  }
  const uint32_t flags = how.flags | (persistent ? uint32_t{PLAIT_SHAPE_PERSISTENT}
                                      : varies   ? uint32_t{PLAIT_SHAPE_VARIES}
                                                 : s->varies);
  const plait_shape_kind kind =
      how.starts == kBlocking ? PLAIT_EVENT_COLLECTIVE : PLAIT_EVENT_ICOLLECTIVE;
  const bool in_words = flags & PLAIT_SHAPE_VARIES;
  const ShapeKey key{what_of(kind, flags, call.function, call.site), whom_of(call.comm, peer),
                     tag_of(PLAIT_ANY_TAG, operation ? operation_of(operation) : 0),
                     in_words ? 0 : received};
  if (persistent) return prepare(call, key, request, 0);
  uint32_t* at = begin_call(s, call, key, 2);
  if (!at) return;
  if (in_words) {
    *at++ = static_cast<uint32_t>(received);
    *at++ = static_cast<uint32_t>(received >> 32);
  }
  end_event(s, at);
  if (request) start_request(s, word_of(*request), 0);
}

void collective_call(const Call& call, How how, const MPI_Request* request) {
  if (!call.comm) return other(call);
  collective(call, how, kNoRoot, 0, false, 0, request);
}

void one_sided(const Call& call, How how, int target) {
  Stream* s = stream_for(call);
  if (!s) return;
  const ShapeKey key{what_of(PLAIT_EVENT_RMA, how.flags, call.function, call.site),
                     whom_of(call.comm, peer_of(target)), tag_of(PLAIT_ANY_TAG), 0};
  if (uint32_t* at = begin_call(s, call, key, 0)) end_event(s, at);
}

void epoch(const Call& call, How how, MPI_Group group) {
  int32_t partners[kMostReferences];
  const int count = world_ranks_of(group, static_cast<int32_t*>(partners), kMostReferences);
  write_epoch(call, how, PLAIT_NO_PEER, static_cast<const int32_t*>(partners), count);
}

void end_epoch(const Call& call, How how) {
  write_epoch(call, how, PLAIT_NO_PEER, nullptr, 0);
}

void test_epoch(const Call& call, How how, const int* flag) {
  how.flags |= PLAIT_SHAPE_TEST;
  if (*flag) return end_epoch(call, how);
  if (Stream* s = stream_for(call))
    add_poll(s, call, plain_key(PLAIT_EVENT_COMPLETE, how.flags, call.function, call.site),
             nullptr);
}

void at_target(const Call& call, How how, int target) {
  write_epoch(call, how, peer_of(target), nullptr, 0);
}

void lock(const Call& call, How how, int target, int type, int assertion) {
  if (type == MPI_LOCK_EXCLUSIVE) how.flags |= PLAIT_SHAPE_EXCLUSIVE;
  if (assertion & MPI_MODE_NOCHECK) how.flags |= PLAIT_SHAPE_NO_LOCK;
  at_target(call, how, target);
}

void lock_all(const Call& call, How how, int assertion) {
  if (assertion & MPI_MODE_NOCHECK) how.flags |= PLAIT_SHAPE_NO_LOCK;
  end_epoch(call, how);
}

}  // namespace plait::preload::trace
