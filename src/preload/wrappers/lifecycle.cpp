// SPDX-License-Identifier: BSD-3-Clause
// Calls the parts of the preload object when the process begins and ends, and keeps its state.
#include "preload/wrappers/lifecycle.hpp"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "preload/calls/communicators.hpp"
#include "preload/calls/traffic.hpp"
#include "preload/counters/counters.hpp"
#include "preload/functions/functions.hpp"
#include "preload/gather/gather.hpp"
#include "preload/hooks.hpp"
#include "preload/sampling/sampling.hpp"
#include "preload/trace/calls.hpp"
#include "preload/trace/clock_offset.hpp"
#include "preload/trace/compress.hpp"
#include "preload/trace/request_table.hpp"
#include "preload/wrappers/agree_on_transport.hpp"
#include "preload/wrappers/open_mpi_4.hpp"

namespace plait::preload {

namespace {

bool initialized;
bool recording_ended;
bool offers_transport;

int is_mpi_library(dl_phdr_info* object, size_t, void*) {
  const char* slash = strrchr(object->dlpi_name, '/');
  const char* file = slash ? slash + 1 : object->dlpi_name;
  return !strncmp(file, "libmpi.so", 9) || !strncmp(file, "libmpich.so", 11) ||
         !strncmp(file, "libmpi_", 7);
}

void learn_hosts(const JobHosts& job) {
  trace::begin_alignment(job);
  gather::begin(job);
}

// Closes all files. What the process does afterwards is not recorded.
void end_recording() {
  recording_ended = true;
  sampling_stop();
  functions::close();
  trace::close();
  retire();
  trim_record();
}

// The same for files that the ranks send from this node.
void end_recording_away() {
  end_recording();
  trace::compress_event_file();
}

void leave_parent_alone() {
  gather::forget();
  sampling_forget();
  trace::forget();
  functions::forget();
  retire_child();
}

// A program that is linked with an MPI library is recorded from its load on, so that its time
// before MPI_Init is known. Any other process is recorded from its first MPI call on, so that
// helper processes leave no file.
__attribute__((constructor)) void at_load() {
  pthread_atfork(nullptr, nullptr, leave_parent_alone);
  if (!dl_iterate_phdr(is_mpi_library, nullptr)) return hide_absent_functions();
  if (!open_record()) return;
  openmp_load();
  sampling_start();
  functions::open();
}

__attribute__((destructor)) void at_exit() {
  if (!record || recording_ended) return;
  sampling_stop();
  if (record->state == PLAIT_STATE_INITIALIZED) {
    counters::finish();
    memory_finish();
    cpu_wait_sample(true);
    openmp_flush();
  }
  sample_clock(&record->at_last);
  if (record->state != PLAIT_STATE_FINALIZED) record->state = PLAIT_STATE_EXITED;
  end_recording();
}

// The time that the wrappers add to a call: the smallest of several blocks, measured with temporary
// tables.
double calibrate(Thread* like) {
  constexpr int kBlocks = 9, kCalls = 400;
  const uint64_t bytes =
      sizeof(Thread) + sizeof(plait_call_entry) * 64 + (sizeof(SiteSlot) << Thread::kSiteBits);
  auto* scratch = static_cast<Thread*>(map_pages(bytes));
  if (!scratch || record->ticks_per_s <= 0) return 0;
  auto* calls = reinterpret_cast<plait_call_entry*>(scratch + 1);
  plait_thread_record unseen = {};
  *scratch = *like;
  scratch->calls = calls;
  scratch->calls_mask = 63;
  scratch->calls_shift = 58;
  scratch->calls_room = 48;
  scratch->sites = reinterpret_cast<SiteSlot*>(calls + 64);
  scratch->record = &unseen;
  scratch->depth = 0;
  const uint64_t key = site_key(1, 1);
  scratch->sites[key >> (64 - Thread::kSiteBits)] = {key, 1, 0, {}, {}};
  Thread* const own = self;
  self = scratch;
  uint64_t least = ~uint64_t{0};
  for (int block = 0; block < kBlocks; ++block) {
    const uint64_t began = now_ticks();
    for (int i = 0; i < kCalls; ++i) {
      Call call;
      if (!call.enter(kFunction_Comm_size, 1, 1)) continue;
      call.begin();
      __asm__ volatile("" ::: "memory");
      call.end();
      call.keep();
    }
    const uint64_t ticks = now_ticks() - began;
    if (ticks < least) least = ticks;
  }
  self = own;
  return static_cast<double>(least) / kCalls / record->ticks_per_s * 1e9;
}

void refine_ticks() {
  const auto& from = record->at_load;
  const auto& to = record->at_init_end;
  const int64_t elapsed_ns = to.monotonic_ns - from.monotonic_ns;
  if (elapsed_ns > 1'000'000)
    record->ticks_per_s =
        static_cast<double>(to.ticks - from.ticks) * 1e9 / static_cast<double>(elapsed_ns);
}

// The first line of the library's version, with single spaces.
void keep_library_version() {
  static char version[MPI_MAX_LIBRARY_VERSION_STRING + 1];
  int length = 0;
  const auto ask = reinterpret_cast<int (*)(char*, int*)>(find_symbol("PMPI_Get_library_version"));
  if (!ask || ask(version, &length) != MPI_SUCCESS) return;
  char* end = version;
  for (const char* c = version; *c && *c != '\n'; ++c) {
    const bool space = *c == ' ' || *c == '\t';
    if (!space) *end++ = *c;
    if (space && end > version && end[-1] != ' ') *end++ = ' ';
  }
  *end = '\0';
  record->library = add_string(version);
}

// Runs when MPI is initialized, before the program continues.
void look_around(Call& call, bool in_session, MPI_Session session) {
  learn_world(in_session, session, &learn_hosts);
  if (initialized) return;
  initialized = true;
  trace::choose_rank(record->world_rank, record->world_size);
  watching = checking || trace::active();
  sample_clock(&record->at_init_end);
  refine_ticks();
  keep_library_version();
  if (offers_transport) correct_open_mpi_4();
  prepare_call_sites();
  sampling_refresh();
  if (!in_session) comm_id(call.thread, world_comm());
  record->overhead_ns_per_call = calibrate(call.thread);
  trace::calibrate(call.thread);
  record->state = PLAIT_STATE_INITIALIZED;
  coverage_check();
  placement_init();
  memory_begin();
  cpu_wait_sample(false);
  // The program's time begins here: the time spent above is not its own.
  sample_clock(&record->at_init_end);
  restart_pause();
  call.thread->last_exit = 0;
  call.thread->wait = {};
  start_reading_waits();
  read_wait_outside(call.thread, now_ticks());
  counters::begin();
}

}  // namespace

void open_observers() {
  counters::open();
  checking = has_option("check") && check_open();
  trace::open();
  functions::open();
  watching = checking || trace::active();
  sampling_start();
}

int stand_by(int code) {
  static bool took_part;
  const char* asked = getenv("PLAIT_RECORDS");
  if (code != MPI_SUCCESS || self || took_part || !asked || !*asked || !library_fits()) return code;
  took_part = true;
  if (record) {
    // The record has no calls, but it has the rank.
    learn_world(false, {}, &learn_hosts);
  } else {
    take_part_in_learning(&learn_hosts);
  }
  return code;
}

void before_init(Call&) {
  if (initialized) return;
  sample_clock(&record->at_init_begin);
  offers_transport = agree_on_transport();
}

void see_init(Call& call) {
  record->thread_required = record->thread_provided = 0;
  // The environment may have requested a higher level from the library.
  int level = 0;
  if (call_real<kFunction_Query_thread>(&level) == MPI_SUCCESS && level >= MPI_THREAD_MULTIPLE) {
    record->thread_provided = 3;
    trace::expect_threads();
  }
  look_around(call, false, {});
}

void see_init_thread(Call& call, int required, const int* provided) {
  const auto level = [](int value) {
    return value >= MPI_THREAD_MULTIPLE     ? 3
           : value >= MPI_THREAD_SERIALIZED ? 2
           : value >= MPI_THREAD_FUNNELED   ? 1
                                            : 0;
  };
  record->thread_required = level(required);
  record->thread_provided = level(*provided);
  if (record->thread_provided == 3) trace::expect_threads();
  look_around(call, false, {});
}

void see_session_init(Call& call, const MPI_Session* session) {
  trace::expect_threads();  // a session does not say which level it provides
  look_around(call, true, *session);
}

void before_finalize(Call& call) {
  if (record->state == PLAIT_STATE_INITIALIZED)
    call.waited_before = read_wait_outside(call.thread, now_ticks());
  stop_reading_waits();
  counters::finish();
  memory_finish();
  cpu_wait_sample(true);
  openmp_flush();
  learn_modules();
  trace::finish();
  sample_clock(&record->at_last);
  record->state = PLAIT_STATE_FINALIZED;
}

void leave_job() {
  trace::end_alignment();
  gather::run(&end_recording_away);
}

void before_abort(Call& call, MPI_Comm comm) {
  sample_clock(&record->at_last);
  call.begin();
  call.end();
  // MPI accepts any communicator here, also one that is not valid.
  call.comm = known_comm_id(word_of(comm));
  if (trace::active()) trace::other(call);
  call.keep();
  call.thread->depth = 1;
}

}  // namespace plait::preload
