// SPDX-License-Identifier: BSD-3-Clause
// Creates, maps and fills the record file of the observed process.
#include "preload/recorder.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "preload/own_files.hpp"

namespace plait::preload {

plait_record_header* record = nullptr;
bool paused, checking, watching;

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kFileBytes = 1ULL << 30;  // apparent; a page costs memory when it is touched
constexpr uint64_t kLeastRoom = 1 << 22;     // after the tables, for those of threads
constexpr uint64_t kStep = 4 * kPage;        // room is reserved in steps of this

struct Table {
  uint32_t entry_bytes, capacity;
};

// How many entries each table may get; indexed by plait_section.
constexpr Table kTables[PLAIT_SECTION_COUNT] = {
    {1, 1 << 18},                                // STRINGS
    {sizeof(plait_function_record), 1 << 10},    // FUNCTIONS
    {sizeof(plait_module_record), 1 << 12},      // MODULES
    {sizeof(plait_site_record), 1 << 16},        // SITES
    {sizeof(plait_comm_record), 1 << 13},        // COMMS
    {sizeof(int32_t), 1 << 24},                  // RANKS
    {sizeof(plait_thread_record), 1 << 12},      // THREADS
    {sizeof(plait_parallel_record), 1 << 12},    // PARALLEL
    {sizeof(plait_omp_thread_record), 1 << 11},  // OMP_THREADS
    {sizeof(plait_region_record), 1 << 12},      // REGIONS
    {sizeof(plait_placement_record), 1 << 12},   // PLACEMENT
    {sizeof(plait_cpu_wait_record), 1 << 12},    // CPU_WAIT
    {sizeof(uint32_t), 1 << 12},                 // UNSEEN
    {sizeof(uint32_t), 1 << 8},                  // NOTES
    {sizeof(plait_foreign_record), 1 << 10},     // FOREIGN
    {0, 0},
};

enum class Phase { unopened, open, aside };
Phase phase = Phase::unopened;
int open_lock, string_lock, carve_lock, note_lock, growth_lock;
char path[PATH_MAX];
bool in_spool;
uint64_t reserved[PLAIT_SECTION_COUNT];  // bytes of each table that the file system has promised
uint64_t used;                           // bytes of the file up to the last carved page
uint64_t file_bytes = kFileBytes;

bool debugging() {
  return getenv("PLAIT_PRELOAD_DEBUG") != nullptr;
}

uint64_t pages(uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// Reserves the bytes in the file system, so that a full disk is an error now and not a SIGBUS
// later. The file is opened again: the program may have closed and reused a kept descriptor.
bool promise(uint64_t offset, uint64_t bytes) {
  static bool full;
  if (full) return false;
  const int file = open_record_file(path, O_RDWR);
  int error = file < 0 ? errno : 0;
  if (file >= 0) {
    error = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    close(file);
  }
  full = error != 0;
  if (full)
    fprintf(stderr, "plait: cannot extend %s: %s; data that does not fit is lost\n", path,
            strerror(error));
  return !full;
}

char* bytes_of(uint64_t offset) {
  return reinterpret_cast<char*>(record) + offset;
}

// Reserves room for the table's bytes below `end`.
bool make_room(plait_section section, uint64_t end) {
  if (end <= __atomic_load_n(&reserved[section], __ATOMIC_ACQUIRE)) return true;
  SpinLock hold(&growth_lock);
  if (end <= reserved[section]) return true;
  const uint64_t table = pages(uint64_t{kTables[section].entry_bytes} * kTables[section].capacity);
  uint64_t wanted = (end + kStep - 1) / kStep * kStep;
  if (wanted > table) wanted = table;
  const auto& header = record->sections[section];
  if (!promise(header.offset + reserved[section], wanted - reserved[section])) return false;
  __atomic_store_n(&reserved[section], wanted, __ATOMIC_RELEASE);
  return true;
}

void refuse(const char* what, int error) {
  fprintf(stderr, "plait: %s %s: %s; this process continues without being recorded\n", what, path,
          strerror(error));
}

bool choose_path() {
  const RecordFolder folder = record_folder();
  in_spool = folder.spool;
  char host[256] = "host", here[PATH_MAX] = "";
  gethostname(host, sizeof host - 1);
  if (!folder.path) return false;
  if (folder.path[0] != '/' && !getcwd(here, sizeof here)) return false;
  const int length = snprintf(path, sizeof path, "%s%s%s/%s-%d.rec", here, *here ? "/" : "",
                              folder.path, host, static_cast<int>(getpid()));
  return length > 0 && static_cast<size_t>(length) < sizeof path;
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
}

// The user's limits: a file longer than RLIMIT_FSIZE would end the program by SIGXFSZ, and a
// mapping that uses much of RLIMIT_AS would leave it short of memory.
uint64_t permitted_bytes() {
  uint64_t bytes = kFileBytes;
  rlimit limit;
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < bytes) bytes = limit.rlim_cur;
  if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur / 8 < bytes) bytes = limit.rlim_cur / 8;
  return bytes / kPage * kPage;
}

bool create() {
  if (!choose_path()) return false;
  uint64_t offset = pages(sizeof(plait_record_header));
  plait_section_header sections[PLAIT_SECTION_COUNT] = {};
  for (int i = 0; i < PLAIT_SECTION_COUNT; ++i) {
    sections[i] = {offset, kTables[i].entry_bytes, kTables[i].capacity, 0, 0};
    offset += pages(uint64_t{kTables[i].entry_bytes} * kTables[i].capacity);
  }
  used = offset;
  file_bytes = permitted_bytes();
  if (file_bytes < used + kLeastRoom)
    return refuse("a limit (ulimit -f or -v) leaves no room for", EFBIG), false;
  const int file = open_record_file(path, O_RDWR | O_CREAT | O_TRUNC);
  if (file < 0) return refuse("cannot create", errno), false;
  void* mapping = MAP_FAILED;
  int error = ftruncate(file, static_cast<off_t>(file_bytes)) ? errno : 0;
  if (!error) error = posix_fallocate(file, 0, static_cast<off_t>(sections[0].offset + kStep));
  if (!error) {
    mapping = mmap(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapping == MAP_FAILED) error = errno;
  }
  close(file);
  if (error) {
    refuse("cannot allocate", error);
    unlink(path);
    return false;
  }
  reserved[PLAIT_SECTION_STRINGS] = kStep;
  auto* header = static_cast<plait_record_header*>(mapping);
  memcpy(header->sections, sections, sizeof sections);
  header->version = PLAIT_RECORD_VERSION;
  header->header_bytes = sizeof *header;
  header->file_bytes = file_bytes;
  header->state = PLAIT_STATE_LOADED;
  header->clock_kind = PLAIT_CLOCK_TSC;
#if defined(__aarch64__)
  header->clock_kind = PLAIT_CLOCK_CNTVCT;
#elif !defined(__x86_64__)
  header->clock_kind = PLAIT_CLOCK_MONOTONIC_NS;
#endif
  header->sections[PLAIT_SECTION_STRINGS].count = 1;  // offset 0 is ""
  sample_clock(&header->at_load);
  header->ticks_per_s = ticks_per_second();
  record = header;
  describe_process();
  __atomic_store_n(&header->magic, PLAIT_RECORD_MAGIC, __ATOMIC_RELEASE);
  return true;
}

}  // namespace

#if !defined(__x86_64__) && !defined(__aarch64__)
uint64_t now_monotonic_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}
#endif

bool open_record() {
  SpinLock hold(&open_lock);
  if (phase != Phase::unopened) return phase == Phase::open;
  const char* folder = getenv("PLAIT_RECORDS");
  phase = Phase::aside;
  if (!folder || !*folder) return false;
  if (!create()) return false;
  if (debugging()) fprintf(stderr, "plait: recording into %s\n", path);
  phase = Phase::open;
  return true;
}

bool record_path(const char* suffix, char* into, size_t bytes) {
  if (!record) return false;
  const int stem = static_cast<int>(strlen(path) - strlen(".rec"));
  const int length = snprintf(into, bytes, "%.*s%s", stem, path, suffix);
  return length > 0 && static_cast<size_t>(length) < bytes;
}

int open_record_file(const char* name, int flags) {
  return open_own(name, in_spool, flags);
}

bool trim_record_file(const char* name, uint64_t bytes) {
  const int file = open_record_file(name, O_WRONLY);
  const bool trimmed = file >= 0 && !ftruncate(file, static_cast<off_t>(bytes));
  if (file >= 0) close(file);
  return trimmed;
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

uint32_t add_string(const char* text, bool fresh) {
  if (!record || !text || !*text) return 0;
  SpinLock hold(&string_lock);
  auto& header = record->sections[PLAIT_SECTION_STRINGS];
  const char* first = bytes_of(header.offset);
  for (const char* known = first + 1; !fresh && known < first + header.count;
       known += strlen(known) + 1)
    if (!strcmp(known, text)) return static_cast<uint32_t>(known - first);
  const uint64_t length = strlen(text) + 1;
  if (header.count + length > header.capacity ||
      !make_room(PLAIT_SECTION_STRINGS, header.count + length)) {
    ++header.lost;
    return 0;
  }
  const uint32_t offset = header.count;
  memcpy(bytes_of(header.offset + offset), text, length);
  __atomic_store_n(&header.count, offset + static_cast<uint32_t>(length), __ATOMIC_RELEASE);
  return offset;
}

void* append(plait_section section) {
  if (!record) return nullptr;
  auto& header = record->sections[section];
  const uint64_t begin = uint64_t{header.count} * header.entry_bytes;
  if (header.count >= header.capacity || !make_room(section, begin + header.entry_bytes)) {
    ++header.lost;
    return nullptr;
  }
  char* entry = bytes_of(header.offset + begin);
  memset(entry, 0, header.entry_bytes);
  return entry;
}

void publish(plait_section section) {
  auto& count = record->sections[section].count;
  __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

void* carve(uint64_t bytes, uint64_t* offset) {
  if (!record || phase != Phase::open) return nullptr;
  SpinLock hold(&carve_lock);
  const uint64_t wanted = pages(bytes);
  if (used + wanted > file_bytes || !promise(used, wanted)) return nullptr;
  *offset = used;
  used += wanted;
  return bytes_of(*offset);
}

void trim_record() {
  if (!record) return;
  SpinLock hold(&carve_lock);
  phase = Phase::aside;
  record->file_bytes = used;
  if (!trim_record_file(path, used)) record->file_bytes = file_bytes;
}

void* map_pages(uint64_t bytes) {
  void* memory =
      mmap(nullptr, pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void note(const char* text) {
  SpinLock hold(&note_lock);
  const uint32_t string = add_string(text);
  if (record && string) {
    auto& header = record->sections[PLAIT_SECTION_NOTES];
    const auto* known = reinterpret_cast<const uint32_t*>(bytes_of(header.offset));
    for (uint32_t i = 0; i < header.count; ++i)
      if (known[i] == string) return;
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
