// SPDX-License-Identifier: BSD-3-Clause
// Teams, their entries, and the tables PARALLEL and OMP_THREADS.
#include "preload/openmp/team.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/counters/counters.hpp"
#include "preload/hooks.hpp"
#include "preload/key_index.hpp"
#include "preload/trace/trace.hpp"

namespace plait::preload::openmp {

PLAIT_TLS ThreadState thread_state;

namespace {

Team teams[kTeams];
int table_lock;
pthread_key_t owner_key;  // frees a team when the thread that started its regions ends
pthread_once_t owner_key_once = PTHREAD_ONCE_INIT;
bool has_owner_key;

KeyIndex known;  // addresses to 1 + the index of their record; 0: there was no room

// 1 + the index of the region at `address`; 0 when there is no room.
uint32_t number_of(uint64_t address) {
  uint32_t number = known.find(address);
  if (number != KeyIndex::kAbsent) return number;
  SpinLock hold(&table_lock);
  number = known.find(address);
  if (number != KeyIndex::kAbsent) return number;
  number = record->sections[PLAIT_SECTION_PARALLEL].count + 1;
  auto* entry = static_cast<plait_parallel_record*>(append(PLAIT_SECTION_PARALLEL));
  if (entry) {
    entry->address = address;
    publish(PLAIT_SECTION_PARALLEL);
  } else {
    number = 0;
  }
  known.add(address, number);
  return number;
}

Team* take_team() {
  for (Team& team : teams) {
    if (!__atomic_load_n(&team.taken, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&team.taken, 1, __ATOMIC_ACQUIRE)) {
      return &team;
    }
  }
  static bool said;
  if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
    note("more than 64 OpenMP regions are active at once: further ones are not measured");
  return nullptr;
}

void make_owner_key() {
  has_owner_key = !pthread_key_create(&owner_key, [](void* team) {
    thread_state.own = nullptr;
    __atomic_store_n(&static_cast<Team*>(team)->taken, 0, __ATOMIC_RELEASE);
  });
}

void add(uint64_t& sum, uint64_t value) {
  __atomic_fetch_add(&sum, value, __ATOMIC_RELAXED);
}

void export_totals_of(Team& team) {
  SpinLock hold(&table_lock);
  if (!record) return;
  for (Entry& entry : team.entries) {
    if (!entry.busy_total && !entry.idle_total && !entry.wait_total) continue;
    if (!entry.record) {
      entry.record = static_cast<plait_omp_thread_record*>(append(PLAIT_SECTION_OMP_THREADS));
      if (!entry.record) return;
      entry.record->thread = entry.index;
      publish(PLAIT_SECTION_OMP_THREADS);
    }
    entry.record->tid = entry.tid;
    entry.record->busy_ticks = entry.busy_total;
    entry.record->idle_ticks = entry.idle_total;
    entry.record->wait_ticks = entry.wait_total;
  }
}

uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

struct Use {
  uint64_t busy, idle, wait;
};

// What a thread did of the elapsed time of its region, without the effects of waiting for a CPU.
Use use_of(const Entry& entry, const Team& team, uint64_t end) {
  const uint64_t elapsed = span_ticks(team.begin, end);
  uint64_t idle = entry.idle;
  if (team.threads > 1) {
    idle += span_ticks(team.begin, entry.begin);
    if (entry.idle_since) idle += span_ticks(entry.idle_since, end);
  }
  idle = smaller(idle, elapsed);
  const uint64_t busy = elapsed - idle;
  const uint64_t wait = smaller(entry.waited, busy);
  return {busy - wait, idle, wait};
}

}  // namespace

Team* region_begin(uint64_t address) {
  if (!record || paused) return nullptr;
  ThreadState& self = thread_state;
  Team* team = self.entry ? nullptr : self.own;
  if (!team) {
    team = take_team();
    if (!team) return nullptr;
    if (!self.entry) {
      self.own = team;
      pthread_once(&owner_key_once, &make_owner_key);
      if (has_owner_key) pthread_setspecific(owner_key, team);
    }
  }
  if (team->address != address) {
    team->address = address;
    team->region = number_of(address);
    team->record = team->region
                       ? entry_at<plait_parallel_record>(PLAIT_SECTION_PARALLEL, team->region - 1)
                       : nullptr;
  }
  team->starter = self.entry;
  team->starter_team = self.team;
  team->starter_generation = self.generation;
  team->starter_region = self.region;
  team->threads = 0;
  team->start_frame = 0;
  if (counters::active) team->user_region = counters::region();
  team->begin = now_ticks();
  return team;
}

void body_begin(Team* team, int index, int threads) {
  ThreadState& self = thread_state;
  if (index < 0 || index >= kTeamThreads) {
    self.entry = nullptr;
    return;
  }
  if (index == 0) team->threads = threads;
  if (!self.tid) self.tid = static_cast<int32_t>(syscall(SYS_gettid));
  Entry& entry = team->entries[index];
  entry.outer = index == 0 ? team->starter : nullptr;
  entry.tid = self.tid;
  entry.index = index;
  entry.idle = 0;
  entry.idle_since = 0;
  entry.waited = 0;
  entry.waited_idle = 0;
  self.team = team;
  self.generation = team->generation;
  self.region = team->region;
  self.threads = threads;
  self.entry = &entry;
  if (counters::active) counters::begin_work(index, team->user_region);
  entry.begin = entry.working_since = now_ticks();
  // As in use_of(): in a team of one, the time before the body is work.
  (threads > 1 ? entry.waited_idle : entry.waited) = wait_since(team->begin, entry.begin);
}

void body_end() {
  ThreadState& self = thread_state;
  idle_begin();
  if (counters::active) counters::end_work();
  if (!self.placed && self.entry && self.threads > 1) {
    self.placed = true;
    placement_after_parallel(self.entry->index, self.threads);
  }
}

void trace_work() {
  const ThreadState& self = thread_state;
  const Entry* entry = self.entry;
  if (!trace::active() || !entry || !self.region) return;
  const uint64_t end = entry->idle_since ? entry->idle_since : now_ticks();
  trace::add_work(self.region - 1, entry->begin, end, entry->idle, entry->index);
  // What the starting thread waited is recorded with its next MPI call.
  if (entry->index == 0) return;
  const uint64_t elapsed = span_ticks(entry->begin, end);
  const uint64_t waited = smaller(entry->waited, elapsed - smaller(entry->idle, elapsed));
  if (waited > 0) trace::add_cpu_wait(end, waited);
}

void region_end(Team* team) {
  const uint64_t end = now_ticks();
  const uint64_t elapsed = span_ticks(team->begin, end);
  const int measured = team->threads < kTeamThreads ? team->threads : kTeamThreads;
  uint64_t busy_sum = 0, idle_sum = 0, longest = 0, waited = 0;
  for (int i = 0; i < measured; ++i) {
    const Use use = use_of(team->entries[i], *team, end);
    if (use.busy > longest) longest = use.busy;
    waited += team->entries[i].waited + team->entries[i].waited_idle;
  }
  for (int i = 0; i < measured; ++i) {
    Entry& entry = team->entries[i];
    Use use = use_of(entry, *team, end);
    if (waited > 0 && team->threads > 1) {
      use.idle = smaller(use.idle, longest - use.busy);
      use.wait = elapsed - use.busy - use.idle;
    }
    busy_sum += use.busy;
    idle_sum += use.idle;
    if (entry.outer) {
      entry.outer->idle += use.idle;
      entry.outer->waited += use.wait;
    } else {
      entry.busy_total += use.busy;
      entry.idle_total += use.idle;
      entry.wait_total += use.wait;
    }
  }
  const uint64_t wait_sum = elapsed * static_cast<uint64_t>(measured) - busy_sum - idle_sum;
  static bool said;
  if (team->threads > kTeamThreads && !said) {
    said = true;
    note("an OpenMP team has more than 512 threads; threads from number 512 on are not measured");
  }
  if (plait_parallel_record* sums = team->record) {
    add(sums->count, 1);
    add(sums->threads, static_cast<uint64_t>(team->threads));
    add(sums->ticks, elapsed);
    add(sums->busy_ticks, busy_sum);
    add(sums->idle_ticks, idle_sum);
    add(sums->wait_ticks, wait_sum);
  }
  if (trace::active() && team->region)
    trace::add_parallel(team->region - 1, team->begin, end, static_cast<uint32_t>(team->threads),
                        busy_sum + wait_sum);
  ThreadState& self = thread_state;
  self.entry = team->starter;
  self.team = team->starter_team;
  self.generation = team->starter_generation;
  self.region = team->starter_region;
  __atomic_store_n(&team->generation, team->generation + 1, __ATOMIC_RELEASE);
  // So that a killed process leaves totals that are at most a tenth of a second old.
  if (record && static_cast<double>(span_ticks(team->exported, end)) > record->ticks_per_s / 10) {
    team->exported = end;
    export_totals_of(*team);
  }
  if (team != self.own) __atomic_store_n(&team->taken, 0, __ATOMIC_RELEASE);
}

void export_totals() {
  for (Team& team : teams) {
    if (team.exported) export_totals_of(team);
  }
}

void set_view(plait_openmp_view view, const char* runtime_name) {
  if (!record) return;
  record->openmp_view = view;
  if (runtime_name && *runtime_name) record->omp_runtime = add_string(runtime_name);
}

}  // namespace plait::preload::openmp
