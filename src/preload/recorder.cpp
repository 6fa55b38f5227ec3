// SPDX-License-Identifier: BSD-3-Clause
// Creates, maps and fills the record file of the observed process.
#include "preload/recorder.hpp"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "preload/key_index.hpp"
#include "preload/placement/proc_files.hpp"
#include "preload/record_file.hpp"

namespace plait::preload {

plait_record_header* record = nullptr;
bool paused, checking, watching;

namespace {

struct Table {
  uint32_t entry_bytes, capacity;
};

// The entries of each table and how many its first part has, which is made with the first entry;
// indexed by plait_section.
constexpr Table kTables[PLAIT_SECTION_COUNT] = {
    {1, 1 << 14},                               // STRINGS
    {sizeof(plait_function_record), 1 << 9},    // FUNCTIONS
    {sizeof(plait_module_record), 1 << 6},      // MODULES
    {sizeof(plait_site_record), 1 << 6},        // SITES
    {sizeof(plait_comm_record), 1 << 5},        // COMMS
    {sizeof(plait_rank_run), 1 << 5},           // RANKS
    {sizeof(plait_thread_record), 1 << 4},      // THREADS
    {sizeof(plait_parallel_record), 1 << 5},    // PARALLEL
    {sizeof(plait_omp_thread_record), 1 << 5},  // OMP_THREADS
    {sizeof(plait_region_record), 1 << 5},      // REGIONS
    {sizeof(plait_placement_record), 1 << 4},   // PLACEMENT
    {sizeof(plait_cpu_wait_record), 1 << 5},    // CPU_WAIT
    {sizeof(uint32_t), 1 << 5},                 // UNSEEN
    {sizeof(uint32_t), 1 << 5},                 // NOTES
    {sizeof(plait_foreign_record), 1 << 3},     // FOREIGN
    {sizeof(plait_cpu_use_record), 1 << 4},     // CPU_USE
    {sizeof(plait_counter_record), 1 << 4},     // COUNTERS
    {sizeof(plait_counter_sums), 1 << 3},       // COUNTER_SUMS
    {sizeof(plait_memory_record), 1},           // MEMORY
    {sizeof(plait_memory_sample), 1 << 7},      // MEMORY_SAMPLES
    {sizeof(plait_file_record), 1 << 4},        // FILES
    {sizeof(plait_energy_record), 1 << 2},      // ENERGY
    {sizeof(plait_counter_reading), 1 << 8},    // COUNTER_READINGS
    {sizeof(plait_counter_value), 1 << 10},     // COUNTER_TOTALS
    {sizeof(plait_source_record), 1 << 5},      // SOURCES
};

enum class Phase { unopened, open, aside };
Phase phase = Phase::unopened;
int open_lock, string_lock, part_lock, note_lock;
uint32_t parts[PLAIT_SECTION_COUNT];  // that each table has
KeyIndex strings;                     // hashes of texts to their places

bool debugging() {
  return getenv("PLAIT_PRELOAD_DEBUG") != nullptr;
}

// Makes the parts of a table up to this one.
bool make_parts(plait_section section, uint32_t number) {
  if (number < __atomic_load_n(&parts[section], __ATOMIC_ACQUIRE)) return true;
  if (number >= PLAIT_MOST_PARTS) return false;
  SpinLock hold(&part_lock);
  auto& header = record->sections[section];
  while (parts[section] <= number) {
    const uint32_t next = parts[section];
    const uint64_t entries = next ? uint64_t{header.capacity} << (next - 1) : header.capacity;
    uint64_t offset = 0;
    if (!take_room(entries * header.entry_bytes, 64, &offset)) return false;
    __atomic_store_n(next ? &header.more[next - 1] : &header.offset, offset, __ATOMIC_RELEASE);
    __atomic_store_n(&parts[section], next + 1, __ATOMIC_RELEASE);
  }
  return true;
}

double ticks_per_second() {
  plait_clock_sample first, last;
  sample_clock(&first);
  do sample_clock(&last);
  while (last.monotonic_ns - first.monotonic_ns < 100'000);
  return static_cast<double>(last.ticks - first.ticks) * 1e9 /
         static_cast<double>(last.monotonic_ns - first.monotonic_ns);
}

void describe_process() {
  char text[PATH_MAX] = "";
  gethostname(text, sizeof text - 1);
  record->host = add_string(text);
  const ssize_t length = readlink("/proc/self/exe", text, sizeof text - 1);
  if (length > 0) text[length] = '\0';
  record->program = add_string(length > 0 ? text : "");
  record->pid = getpid();
  record->ppid = getppid();
  record->world_rank = record->world_size = -1;
  record->thread_required = record->thread_provided = -1;
  record->omp_max_threads = record->mpi_yields = record->allowed_cpus = -1;
  record->placement_only = has_option("placement");
  record->boot = boot_number();
  struct stat space;
  if (!stat("/proc/self/ns/pid", &space)) record->pid_namespace = space.st_ino;
}

bool create() {
  auto* header = static_cast<plait_record_header*>(create_record_file());
  uint64_t offset = 0;
  if (!header || !take_room(sizeof *header, 1, &offset)) return false;
  for (int i = 0; i < PLAIT_SECTION_COUNT; ++i) {
    header->sections[i].entry_bytes = kTables[i].entry_bytes;
    header->sections[i].capacity = kTables[i].capacity;
  }
  header->version = PLAIT_RECORD_VERSION;
  header->header_bytes = sizeof *header;
  header->state = PLAIT_STATE_LOADED;
  header->clock_kind = PLAIT_CLOCK_TSC;
#if defined(__aarch64__)
  header->clock_kind = PLAIT_CLOCK_CNTVCT;
#elif !defined(__x86_64__)
  header->clock_kind = PLAIT_CLOCK_MONOTONIC_NS;
#endif
  sample_clock(&header->at_load);
  header->ticks_per_s = ticks_per_second();
  record = header;
  if (append(PLAIT_SECTION_STRINGS)) publish(PLAIT_SECTION_STRINGS);  // offset 0 is ""
  describe_process();
  __atomic_store_n(&header->magic, PLAIT_RECORD_MAGIC, __ATOMIC_RELEASE);
  return true;
}

}  // namespace

bool open_record() {
  SpinLock hold(&open_lock);
  if (phase != Phase::unopened) return phase == Phase::open;
  const char* folder = getenv("PLAIT_RECORDS");
  phase = Phase::aside;
  if (!folder || !*folder) return false;
  if (!create()) return false;
  if (debugging()) fprintf(stderr, "plait: recording into %s\n", record_file_path());
  phase = Phase::open;
  return true;
}

bool record_path(const char* suffix, char* into, size_t bytes) {
  if (!record) return false;
  const char* path = record_file_path();
  const int stem = static_cast<int>(strlen(path) - strlen(".rec"));
  const int length = snprintf(into, bytes, "%.*s%s", stem, path, suffix);
  return length > 0 && static_cast<size_t>(length) < bytes;
}

uint64_t boot_number() {
  char text[64];
  return read_text("/proc/sys/kernel/random/boot_id", text, sizeof text) > 0 ? plait_hash_text(text)
                                                                             : 0;
}

bool has_option(const char* word) {
  const char* list = getenv("PLAIT_OPTIONS");
  const size_t length = strlen(word);
  while (list && *list) {
    if (!strncmp(list, word, length) && (list[length] == ',' || !list[length])) return true;
    list = strchr(list, ',');
    if (list) ++list;
  }
  return false;
}

bool wants_trace() {
  return has_option("trace") || has_option("trace_ring");
}

uint32_t add_string(const char* text) {
  if (!record || !text || !*text) return 0;
  SpinLock hold(&string_lock);
  uint64_t key = plait_hash_text(text);  // of another text: the next one
  uint32_t known;
  for (; (known = strings.find(key)) != KeyIndex::kAbsent; ++key)
    if (!strcmp(entry_at<char>(PLAIT_SECTION_STRINGS, known), text)) return known;
  const uint64_t length = strlen(text) + 1;
  uint32_t offset = 0;
  char* copy = static_cast<char*>(append_run(PLAIT_SECTION_STRINGS, length, &offset));
  if (!copy) return 0;
  memcpy(copy, text, length);
  publish(PLAIT_SECTION_STRINGS, offset + static_cast<uint32_t>(length));
  strings.add(key, offset);
  return offset;
}

void* append_run(plait_section section, uint64_t entries, uint32_t* index) {
  if (!record) return nullptr;
  auto& header = record->sections[section];
  uint64_t at = header.count;
  plait_part part = plait_part_of(header.capacity, at);
  while (at + entries > part.first + part.room && part.number < PLAIT_MOST_PARTS) {
    at = part.first + part.room;
    part = plait_part_of(header.capacity, at);
  }
  if (at + entries > UINT32_MAX || !make_parts(section, part.number)) {
    lose_entry(section);
    return nullptr;
  }
  *index = static_cast<uint32_t>(at);
  void* first = entry_at<char>(section, *index);
  memset(first, 0, entries * header.entry_bytes);
  return first;
}

void* append(plait_section section) {
  uint32_t index;
  return append_run(section, 1, &index);
}

void publish(plait_section section) {
  publish(section, record->sections[section].count + 1);
}

void publish(plait_section section, uint32_t end) {
  __atomic_store_n(&record->sections[section].count, end, __ATOMIC_RELEASE);
}

void lose_entry(plait_section section) {
  __atomic_fetch_add(&record->sections[section].lost, 1, __ATOMIC_RELAXED);
}

void* carve(uint64_t bytes, uint64_t* offset) {
  return record && phase == Phase::open ? take_room(bytes, 4096, offset) : nullptr;
}

void trim_record() {
  if (!record) return;
  phase = Phase::aside;
  trim_record_file();
}

void* map_pages(uint64_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void note(const char* text) {
  SpinLock hold(&note_lock);
  const uint32_t string = add_string(text);
  if (record && string) {
    for (uint32_t i = 0; i < record->sections[PLAIT_SECTION_NOTES].count; ++i)
      if (*entry_at<uint32_t>(PLAIT_SECTION_NOTES, i) == string) return;
    if (auto* entry = static_cast<uint32_t*>(append(PLAIT_SECTION_NOTES))) {
      *entry = string;
      publish(PLAIT_SECTION_NOTES);
    }
  }
  fprintf(stderr, "plait: %s\n", text);
}

void sample_clock(plait_clock_sample* into) {
  timespec real, monotonic;
  clock_gettime(CLOCK_REALTIME, &real);
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  into->ticks = now_ticks();
  into->realtime_ns = int64_t{real.tv_sec} * 1'000'000'000 + real.tv_nsec;
  into->monotonic_ns = int64_t{monotonic.tv_sec} * 1'000'000'000 + monotonic.tv_nsec;
}

void pause_recording(bool pause) {
  static int pause_lock;
  SpinLock hold(&pause_lock);
  if (!record || pause == paused) return;
  const uint64_t now = now_ticks();
  if (pause) {
    record->paused_since = now;
  } else {
    record->paused_ticks += now - record->paused_since;
    record->paused_since = 0;
  }
  __atomic_store_n(&paused, pause, __ATOMIC_RELAXED);
}

void restart_pause() {
  record->paused_ticks = 0;
  if (record->paused_since) record->paused_since = now_ticks();
}

void step_aside(const char* why) {
  if (phase == Phase::open) note(why);
  phase = Phase::aside;
  record = nullptr;
}

}  // namespace plait::preload
