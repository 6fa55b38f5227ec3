// SPDX-License-Identifier: BSD-3-Clause
// Examines each call of the program before and after it is made, for plait check.
#include "preload/check/check.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/calls/traffic.hpp"
#include "preload/check/requests.hpp"
#include "preload/check/types.hpp"

namespace plait::preload {
namespace {

__thread Checker* own __attribute__((tls_model("initial-exec")));

Checker* free_checkers;
pthread_key_t at_thread_end;
bool uses_sessions;

void end_checker(void* thread) {
  SpinLock hold(&check_lock);
  auto* ended = static_cast<Checker*>(thread);
  own = nullptr;
  if (!check_file) return;
  ended->published->alive = 0;
  ended->next_free = free_checkers;
  free_checkers = ended;
}

// The checker of the calling thread; null when there is no room for another thread.
Checker* checker_of_thread() {
  if (own) return own;
  if (!check_file) return nullptr;
  Checker* made = free_checkers;
  if (made) {
    free_checkers = made->next_free;
  } else {
    auto* published = static_cast<plait_check_thread*>(check_append(PLAIT_CHECK_THREADS));
    made = published ? static_cast<Checker*>(map_pages(sizeof(Checker))) : nullptr;
    if (!made) return nullptr;
    made->published = published;
    made->index = check_count(PLAIT_CHECK_THREADS);
    made->statuses = static_cast<MPI_Status*>(map_pages(4096));
    made->status_room = made->statuses ? 4096 / sizeof(MPI_Status) : 0;
    check_publish(PLAIT_CHECK_THREADS);
  }
  made->published->tid = static_cast<int32_t>(syscall(SYS_gettid));
  made->published->alive = 1;
  own = made;
  pthread_setspecific(at_thread_end, made);
  return made;
}

bool another_thread_is_inside(const Checker& checker) {
  const auto* threads = check_entries<plait_check_thread>(PLAIT_CHECK_THREADS);
  for (uint32_t i = 0; i < check_count(PLAIT_CHECK_THREADS); ++i)
    if (i != checker.index && threads[i].alive && threads[i].sequence % 2) return true;
  return false;
}

void judge_time_and_thread(const Call& call, const Checker& checker) {
  const Traits& traits = traits_of(call.function);
  if (traits.any_time) return;
  if (check_file->finalized == 2 && !uses_sessions) {
    find({PLAIT_CHECK_AFTER_FINALIZE, call.function, call.site, 0, 0, 0, 1});
    return;
  }
  if (record->state != PLAIT_STATE_INITIALIZED) return;
  const int32_t level = record->thread_provided;
  const bool other = checker.index != check_file->main_thread;
  if (level >= 0 && level <= 1 && other)
    find({PLAIT_CHECK_THREAD_LEVEL, call.function, call.site, 0, 0, level, 1});
  if (level == 2 && another_thread_is_inside(checker))
    find({PLAIT_CHECK_THREAD_LEVEL, call.function, call.site, 0, 1, level, 1});
}

uint32_t comm_of_call(Call& call, Checker& checker) {
  const Arguments& given = checker.given;
  if (traits_of(call.function).role == Role::init) return 0;
  if (given.comm) return known_comm(call, given.comm);
  if (given.win) return known_window(call, given.win);
  // The handle that is about to be freed was forgotten already.
  const bool freed = (given.made_comm && word_of(*given.made_comm) == checker.freed) ||
                     (given.made_win && word_of(*given.made_win) == checker.freed);
  return freed ? checker.freed_comm : 0;
}

// The upper half of a handle that is an int is undefined.
void clean_handles(Arguments& given) {
  given.comm = word_of(as<MPI_Comm>(given.comm));
  given.win = word_of(as<MPI_Win>(given.win));
  given.op = word_of(as<MPI_Op>(given.op));
  given.datatype = word_of(as<MPI_Datatype>(given.datatype));
  given.sendtype = word_of(as<MPI_Datatype>(given.sendtype));
  given.recvtype = word_of(as<MPI_Datatype>(given.recvtype));
}

// The child of a fork must not touch its parent's file.
void leave_parent_alone() {
  check_file = nullptr;
  own = nullptr;
  check_lock = 0;
}

__attribute__((destructor)) void at_exit() {
  checking = false;
  trim_check_file();
}

}  // namespace

bool check_open() {
  if (!create_check_file()) return false;
  check_file->with_buffers = has_option("check_buffers");
  learn_traits();
  pthread_key_create(&at_thread_end, end_checker);
  pthread_atfork(nullptr, nullptr, leave_parent_alone);
  return true;
}

Arguments& check_arguments(const Call&) {
  // The arguments of a thread without room are not used.
  static __thread Arguments nobody;
  SpinLock hold(&check_lock);
  Checker* checker = checker_of_thread();
  if (!checker) return nobody;
  checker->given = Arguments{};
  return checker->given;
}

void check_before(Call& call) {
  Checker* checker = own;
  if (!checker) return;
  call.site = find_site(call.thread, call.function, call.caller, call.frame);
  SpinLock hold(&check_lock);
  checker->left_out = call.is_internal() || !check_file;
  if (checker->left_out) return;
  clean_handles(checker->given);
  judge_time_and_thread(call, *checker);
  plait_check_thread& published = *checker->published;
  published.function = call.function;
  published.site = call.site;
  published.wait = PLAIT_CHECK_WAIT_UNKNOWN;
  published.waited = published.unknown = 0;
  published.entered = now_ticks();
  checker->posted = 0;
  if (traits_of(call.function).role == Role::finalize && check_file->finalized == 0)
    check_file->finalized = 1;
  const bool inside = record->state == PLAIT_STATE_INITIALIZED || check_file->finalized == 1;
  checker->comm = inside ? comm_of_call(call, *checker) : 0;
  checker->freed = 0;
  if (inside) post_operations(call, *checker);
  // Odd, even if the call before was left by a jump.
  __atomic_store_n(&published.sequence, (published.sequence + 1) | 1, __ATOMIC_RELEASE);
}

void check_after(Call& call, int code) {
  Checker* checker = own;
  if (!checker || checker->left_out) return;
  SpinLock hold(&check_lock);
  if (!check_file) return;
  const Role role = traits_of(call.function).role;
  if (role == Role::init && code == MPI_SUCCESS) {
    check_file->main_thread = checker->index;
  } else if (role == Role::finalize) {
    check_file->finalized = 2;
  } else {
    if (call.function == kFunction_Session_init) uses_sessions = true;
    if (record->state == PLAIT_STATE_INITIALIZED && check_file->finalized == 0) {
      end_operations(call, *checker, code);
      if (code == MPI_SUCCESS) keep_made(call, *checker);
    }
  }
  __atomic_store_n(&checker->published->sequence, checker->published->sequence + 1,
                   __ATOMIC_RELEASE);
}

void check_freed(FunctionId function, Word handle) {
  SpinLock hold(&check_lock);
  if (!check_file || !record) return;
  Checker* checker = checker_of_thread();
  switch (function) {
    case kFunction_Comm_free:
    case kFunction_Comm_disconnect:
      drop_object(PLAIT_CHECK_COMM, handle);
      if (checker) forget_known(*checker, handle, false);
      break;
    case kFunction_Win_free:
      drop_object(PLAIT_CHECK_WIN, handle);
      if (checker) forget_known(*checker, handle, true);
      break;
    case kFunction_Type_free:
      drop_object(PLAIT_CHECK_TYPE, handle);
      forget_check_type(handle);
      break;
    case kFunction_Group_free:
      drop_object(PLAIT_CHECK_GROUP, handle);
      break;
    case kFunction_Op_free:
      drop_object(PLAIT_CHECK_OPERATOR, handle);
      break;
    case kFunction_File_close:
      drop_object(PLAIT_CHECK_FILE, handle);
      break;
    case kFunction_Request_free:
      free_operation(handle);
      break;
    default:
      break;
  }
}

void find(const plait_check_finding& finding) {
  auto* known = check_entries<plait_check_finding>(PLAIT_CHECK_FINDINGS);
  for (uint32_t i = 0; i < check_count(PLAIT_CHECK_FINDINGS); ++i) {
    if (known[i].kind != finding.kind || known[i].function != finding.function ||
        known[i].site != finding.site)
      continue;
    ++known[i].count;
    return;
  }
  auto* added = static_cast<plait_check_finding*>(check_append(PLAIT_CHECK_FINDINGS));
  if (!added) return;
  *added = finding;
  check_publish(PLAIT_CHECK_FINDINGS);
}

}  // namespace plait::preload
