// SPDX-License-Identifier: BSD-3-Clause
// Examines each call of the program before and after it is made, for plait check.
#include "preload/check/check.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/calls/traffic.hpp"
#include "preload/check/arguments.hpp"
#include "preload/check/requests.hpp"
#include "preload/check/types.hpp"
#include "preload/handle_map.hpp"

namespace plait::preload {
namespace {

__thread Checker* own __attribute__((tls_model("initial-exec")));

Checker* free_checkers;
pthread_key_t at_thread_end;
bool uses_sessions;
HandleMap findings;  // by kind, function and site, of which there is one finding each

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
  return checker.own_freed.comm;
}

// The upper half of a handle that is an int is undefined.
void clean_handles(Arguments& given) {
  given.comm = word_of(as<MPI_Comm>(given.comm));
  given.win = word_of(as<MPI_Win>(given.win));
  given.op = word_of(as<MPI_Op>(given.op));
  given.datatype = word_of(as<MPI_Datatype>(given.datatype));
  given.sendtype = word_of(as<MPI_Datatype>(given.sendtype));
  given.recvtype = word_of(as<MPI_Datatype>(given.recvtype));
  given.oldtype = word_of(as<MPI_Datatype>(given.oldtype));
}

// The child of a fork must not touch its parent's file.
void leave_parent_alone() {
  check_file = nullptr;
  own = nullptr;
  check_lock = 0;
}

__attribute__((destructor)) void at_exit() {
  checking = false;
}

struct Kind {
  FunctionId function;
  plait_check_object_kind object;
};

// Kind of object that the function frees; null: none, or a request.
const Kind* kind_freed_by(uint32_t function) {
  static const Kind kinds[] = {
      {kFunction_Comm_free, PLAIT_CHECK_COMM},   {kFunction_Comm_disconnect, PLAIT_CHECK_COMM},
      {kFunction_Win_free, PLAIT_CHECK_WIN},     {kFunction_Type_free, PLAIT_CHECK_TYPE},
      {kFunction_Group_free, PLAIT_CHECK_GROUP}, {kFunction_Op_free, PLAIT_CHECK_OPERATOR},
      {kFunction_File_close, PLAIT_CHECK_FILE}};
  for (const Kind& kind : kinds)
    if (kind.function == function) return &kind;
  return nullptr;
}

// The call refused to free its handle, which the program may use further.
void restore_freed(const Call& call, const Checker& checker) {
  const Kind* kind = kind_freed_by(call.function);
  const Freed& freed = checker.own_freed;
  if (!kind || !freed.handle) return;
  if (freed.object.kind)
    keep_object(kind->object, freed.handle, freed.object.function, freed.object.site);
  remember_known(freed.handle, freed.comm, kind->object == PLAIT_CHECK_WIN);
}

uint64_t key_of(const plait_check_finding& finding) {
  return ((uint64_t{finding.kind} << 60) ^ (uint64_t{finding.function} << 32) ^ finding.site) +
         static_cast<uint64_t>(finding.value) * 0x9e3779b97f4a7c15u;
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
  polls_begin(*checker, traits_of(call.function));
  checker->posted = 0;
  if (traits_of(call.function).role == Role::finalize && check_file->finalized == 0)
    check_file->finalized = 1;
  const bool inside = record->state == PLAIT_STATE_INITIALIZED || check_file->finalized == 1;
  checker->own_freed = traits_of(call.function).frees_object ? checker->freed : Freed{};
  checker->comm = inside ? comm_of_call(call, *checker) : 0;
  checker->freed = {};
  checker->reported = false;
  if (inside) {
    // The name says what a basic type is.
    if (call.function == kFunction_Type_set_name) check_type(checker->given.datatype);
    judge_arguments(call, *checker);
    post_operations(call, *checker);
  }
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
    known_comm(call, word_of(world_comm()));
  } else if (role == Role::finalize) {
    check_file->finalized = 2;
  } else {
    if (call.function == kFunction_Session_init) uses_sessions = true;
    if (record->state == PLAIT_STATE_INITIALIZED && check_file->finalized == 0) {
      end_operations(call, *checker, code);
      judge_code(call, *checker, code);
      if (code == MPI_SUCCESS) {
        keep_made(call, *checker);
      } else {
        restore_freed(call, *checker);
      }
    }
  }
  if (checker->polls) {
    polls_end(call, *checker, code);
  } else {
    ++checker->published->progress;
  }
  checker->left = now_ticks();
  __atomic_store_n(&checker->published->sequence, checker->published->sequence + 1,
                   __ATOMIC_RELEASE);
}

void check_freed(FunctionId function, Word handle) {
  SpinLock hold(&check_lock);
  if (!check_file || !record) return;
  if (function == kFunction_Request_free) return free_operation(handle);
  const Kind* kind = kind_freed_by(function);
  if (!kind) return;
  if (kind->object == PLAIT_CHECK_COMM && is_predefined(as<MPI_Comm>(handle))) return;
  Freed freed = {handle, 0, drop_object(kind->object, handle)};
  if (kind->object == PLAIT_CHECK_COMM || kind->object == PLAIT_CHECK_WIN)
    freed.comm = forget_known(handle, kind->object == PLAIT_CHECK_WIN);
  if (kind->object == PLAIT_CHECK_TYPE) forget_check_type(handle);
  if (Checker* checker = checker_of_thread()) checker->freed = freed;
}

void find(const plait_check_finding& finding) {
  const uint32_t known = findings.find(key_of(finding));
  if (known != HandleMap::kAbsent) {
    ++check_entries<plait_check_finding>(PLAIT_CHECK_FINDINGS)[known].count;
    return;
  }
  auto* added = static_cast<plait_check_finding*>(check_append(PLAIT_CHECK_FINDINGS));
  if (!added) return;
  *added = finding;
  findings.set(key_of(finding), check_count(PLAIT_CHECK_FINDINGS));
  check_publish(PLAIT_CHECK_FINDINGS);
}

}  // namespace plait::preload
