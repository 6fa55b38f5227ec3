// SPDX-License-Identifier: BSD-3-Clause
// Writes the events of calls that complete requests.
#include "preload/trace/completions.hpp"

#include <string.h>
#include <sys/mman.h>

#include "preload/recorder.hpp"
#include "preload/trace/emit.hpp"

namespace plait::preload::trace {
namespace {

constexpr uint32_t kLeastRoom = 256;

// Grows an array to `count` elements and discards its contents. False: no memory.
template <class Element>
bool make_room(Element** array, uint32_t* room, uint32_t count) {
  if (__builtin_expect(count <= *room, 1)) return true;
  uint32_t larger = kLeastRoom;
  while (larger < count) larger *= 2;
  auto* made = static_cast<Element*>(map_pages(sizeof(Element) * uint64_t{larger}));
  if (!made) return false;
  if (*array) munmap(*array, sizeof(Element) * uint64_t{*room});
  *array = made;
  *room = larger;
  return true;
}

bool any_status_wanted() {
  return __atomic_load_n(&statuses_wanted, __ATOMIC_RELAXED) > 0;
}

// Keeps the handles of the call in the stream. Null: no trace, or no memory.
Stream* keep_handles(int count, const MPI_Request* requests) {
  if (__atomic_load_n(&state, __ATOMIC_RELAXED) != kOn) return nullptr;
  Stream* s = own_stream();
  if (!s) return nullptr;
  s->handles_count = 0;
  const auto wanted = static_cast<uint32_t>(count > 0 && requests ? count : 0);
  if (!make_room(&s->handles, &s->handles_room, wanted)) return nullptr;
  for (uint32_t i = 0; i < wanted; ++i) s->handles[i] = word_of(requests[i]);
  s->handles_count = wanted;
  return s;
}

const MPI_Status* given(const MPI_Status* status) {
  return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE ? nullptr : status;
}

bool was_cancelled(const MPI_Status& status) {
  int flag = 0;
  call_real<kFunction_Test_cancelled>(&status, &flag);
  return flag;
}

uint32_t* refer_with_status(const Stream* s, uint32_t* at, const Request& ended,
                            const MPI_Status& status) {
  uint32_t* const reference = at;
  at = refer(s, at, ended, PLAIT_REFERENCE_STATUS);
  if (*reference == PLAIT_REFERENCE_UNKNOWN) return at;
  *at++ = source_name(status.MPI_SOURCE);
  *at++ = tag_word(status.MPI_TAG);
  return at;
}

// Writes the reference of a request that has ended; `at` stays where it is if none is due, because
// the request was null or not active.
uint32_t* end_request(Stream* s, uint32_t* at, Word handle, const MPI_Status* status) {
  Request ended{};
  if (handle == word_of(no_request())) return at;
  if (!end(handle, false, &ended)) {
    *at++ = PLAIT_REFERENCE_UNKNOWN;
    return at;
  }
  if (ended.number == 0) {
    const bool known = is_left_out(ended) && status && status->MPI_SOURCE >= 0;
    return known ? refer_left_out(s, at, ended, status->MPI_SOURCE, status->MPI_TAG) : at;
  }
  if (__builtin_expect((ended.flags & (kWildcard | kCancelled)) == 0 || !status, 1))
    return refer(s, at, ended, 0);
  if ((ended.flags & kCancelled) && was_cancelled(*status))
    return refer(s, at, ended, PLAIT_REFERENCE_CANCELLED);
  if (!(ended.flags & kWildcard) || status->MPI_SOURCE == kUnset) return refer(s, at, ended, 0);
  return refer_with_status(s, at, ended, *status);
}

// A request that ended in a gap. Of receives with a wildcard, source and tag are needed, without
// which later ones would not match: of one that was started in a gap it is counted, and one of
// which there is an event gets another one, at the begin of the gap.
void end_in_gap(Stream* s, const Call& call, Word handle, const MPI_Status* status) {
  Request ended;
  if (!end(handle, false, &ended) || !(ended.flags & kWildcard) || !status ||
      status->MPI_SOURCE < 0 || ((ended.flags & kCancelled) && was_cancelled(*status)))
    return;
  if (is_left_out(ended)) return count_ended(s, ended, status->MPI_SOURCE, status->MPI_TAG);
  if (ended.number == 0) return;
  ShapeSlot* slot = find_plain_shape(s, PLAIT_EVENT_COMPLETE, 0, call.function, call.site);
  uint32_t* at = slot ? begin_event(s, slot, s->last, 0, false, 0, 5) : nullptr;
  if (!at) return;
  *at++ = 1;
  end_event(s, refer_with_status(s, at, ended, *status));
}

// The event of a call that may have completed some of `candidates` requests: the k-th is the one
// at index_of(k) of those that the call was given, or none (-1).
template <class IndexOf, class StatusOf>
void complete(const Call& call, How how, int candidates, IndexOf index_of, StatusOf status_of) {
  Stream* s = stream_for(call);
  if (candidates < 0) candidates = 0;  // a count that MPI has refused
  if (!s) {
    s = gap_stream(call);
    for (int k = 0; s && k < candidates; ++k)
      if (const int i = index_of(k); i >= 0 && static_cast<uint32_t>(i) < s->handles_count)
        end_in_gap(s, call, s->handles[i], status_of(k));
    return;
  }
  ShapeSlot* slot = find_plain_shape(s, PLAIT_EVENT_COMPLETE, how.flags, call.function, call.site);
  if (!slot) return lose_event();
  uint64_t began = call.began;
  int k = 0;
  do {
    const int last = candidates - k > kMostReferences ? k + kMostReferences : candidates;
    const auto words = 1 + 5 * static_cast<uint64_t>(last - k) + 1;
    uint32_t* at = begin_event(s, slot, began, call.ended - began, false, 0, words);
    if (!at) return;
    uint32_t* const count = at++;
    *count = 0;
    for (; k < last; ++k) {
      const int i = index_of(k);
      if (i < 0 || static_cast<uint32_t>(i) >= s->handles_count) continue;
      uint32_t* const before = at;
      at = end_request(s, at, s->handles[i], status_of(k));
      if (at != before) ++*count;
    }
    // A test that found only requests that were null.
    if (*count == 0 && (how.flags & PLAIT_SHAPE_TEST)) *at++ = 1;
    end_event(s, at);
    began = call.ended;
  } while (k < candidates);
}

// After an error: those requests whose handles the call has overwritten have ended.
void complete_overwritten(const Call& call, How how, int count, const MPI_Request* requests) {
  const Stream* s = stream;
  complete(
      call, how, count,
      [=](int k) {
        const bool kept = s && static_cast<uint32_t>(k) < s->handles_count;
        return kept && word_of(requests[k]) != s->handles[k] ? k : -1;
      },
      [](int) -> const MPI_Status* { return nullptr; });
}

// A test that found nothing to be complete; or a wait for nothing (all requests null).
void complete_none(const Call& call, How how) {
  if (how.flags & PLAIT_SHAPE_TEST) {
    if (Stream* s = stream_for(call))
      add_poll(s, call, plain_key(PLAIT_EVENT_COMPLETE, how.flags, call.function, call.site),
               nullptr);
    return;
  }
  complete(
      call, how, 0, [](int) { return -1; }, [](int) -> const MPI_Status* { return nullptr; });
}

}  // namespace

MPI_Status* expect_any(Call& call, int count, const MPI_Request* requests, MPI_Status* status) {
  if (!keep_handles(count, requests)) return status;
  if (!any_status_wanted() || status != MPI_STATUS_IGNORE) return status;
  call.status.MPI_SOURCE = kUnset;
  return &call.status;
}

MPI_Status* expect_many(int count, const MPI_Request* requests, MPI_Status* statuses) {
  Stream* s = keep_handles(count, requests);
  if (!s || !any_status_wanted() || statuses != MPI_STATUSES_IGNORE) return statuses;
  if (!s->handles_count || !make_room(&s->statuses, &s->statuses_room, s->handles_count))
    return statuses;
  for (uint32_t i = 0; i < s->handles_count; ++i) s->statuses[i].MPI_SOURCE = kUnset;
  return s->statuses;
}

__attribute__((flatten)) void completed_one(const Call& call, How how, int code,
                                            const MPI_Request* request, const int* flag,
                                            const MPI_Status* status) {
  const bool done = code == MPI_SUCCESS ? !flag || *flag : handle_at(request) != call.handle;
  if (!done) return complete_none(call, how);
  Stream* s = stream_for(call);
  const MPI_Status* known = code == MPI_SUCCESS ? given(status) : nullptr;
  if (!s) {
    if ((s = gap_stream(call))) end_in_gap(s, call, call.handle, known);
    return;
  }
  ShapeSlot* slot = find_plain_shape(s, PLAIT_EVENT_COMPLETE, how.flags, call.function, call.site);
  if (!slot) return lose_event();
  uint32_t* const count = begin_event(s, slot, call.began, call.ended - call.began, false, 0, 7);
  if (!count) return;
  uint32_t* at = count + 1;
  at = end_request(s, at, call.handle, known);
  *count = at != count + 1;
  if (*count == 0 && (how.flags & PLAIT_SHAPE_TEST)) *at++ = 1;
  end_event(s, at);
}

void completed_any(const Call& call, How how, int code, int count, const MPI_Request* requests,
                   const int* index, const int* flag, const MPI_Status* status) {
  if (code != MPI_SUCCESS) return complete_overwritten(call, how, count, requests);
  if ((flag && !*flag) || *index == MPI_UNDEFINED) return complete_none(call, how);
  complete(
      call, how, 1, [=](int) { return *index; }, [=](int) { return given(status); });
}

void completed_all(const Call& call, How how, int code, int count, const MPI_Request* requests,
                   const int* flag, const MPI_Status* statuses) {
  if (code != MPI_SUCCESS) return complete_overwritten(call, how, count, requests);
  if (flag && !*flag) return complete_none(call, how);
  const MPI_Status* all = given(statuses);
  complete(
      call, how, count, [](int k) { return k; }, [=](int k) { return all ? all + k : nullptr; });
}

void completed_some(const Call& call, How how, int code, int count, const MPI_Request* requests,
                    const int* done, const int* indices, const MPI_Status* statuses) {
  if (code != MPI_SUCCESS) return complete_overwritten(call, how, count, requests);
  if (*done == MPI_UNDEFINED || *done == 0) return complete_none(call, how);
  const MPI_Status* all = given(statuses);
  complete(
      call, how, *done, [=](int k) { return indices[k]; },
      [=](int k) { return all ? all + k : nullptr; });
}

void freed(const Call& call, How how, int code) {
  Stream* s = stream_for(call);
  Request ended{};
  const bool known = code == MPI_SUCCESS && remove(call.handle, false, &ended) && ended.number;
  if (!s) return;
  const ShapeKey key = plain_key(PLAIT_EVENT_COMPLETE, how.flags, call.function, call.site);
  uint32_t* at = begin_call(s, call, key, 3);
  if (!at) return;
  *at++ = known ? 1 : 0;
  if (known) at = refer(s, at, ended, PLAIT_REFERENCE_FREED);
  end_event(s, at);
}

void cancelled(const Call& call, How, const MPI_Request* request) {
  cancel(word_of(*request));
  other(call);
}

}  // namespace plait::preload::trace
