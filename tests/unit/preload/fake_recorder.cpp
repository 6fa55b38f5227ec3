// SPDX-License-Identifier: BSD-3-Clause
// The recorder's functions on a block of memory.
#include "fake_recorder.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "preload/counters/counters.hpp"
#include "preload/hooks.hpp"
#include "preload/trace/trace.hpp"
#include "preload/wait_clock.hpp"

namespace plait::preload {

plait_record_header* record = nullptr;
bool paused = false;
uint64_t wait_period = 0;

namespace test {
std::vector<std::string> notes;
uint64_t mpi_ticks = 0;
std::atomic<int> placed{0};
thread_local uint64_t waited_ticks = 0;
}  // namespace test

namespace {
constexpr uint32_t room = 1 << 19;  // bytes of each table

// Of the tables that tests fill; 0: none.
uint32_t entry_bytes_of(int section) {
  switch (section) {
    case PLAIT_SECTION_STRINGS:
      return 1;
    case PLAIT_SECTION_PARALLEL:
      return sizeof(plait_parallel_record);
    case PLAIT_SECTION_OMP_THREADS:
      return sizeof(plait_omp_thread_record);
    case PLAIT_SECTION_REGIONS:
      return sizeof(plait_region_record);
    case PLAIT_SECTION_ENERGY:
      return sizeof(plait_energy_record);
    default:
      return 0;
  }
}

std::vector<uint64_t> memory;
std::vector<std::unique_ptr<uint64_t[]>> pages;
std::mutex mutex;

char* table(plait_section section) {
  return reinterpret_cast<char*>(record) + record->sections[section].offset;
}
}  // namespace

void test::begin_record() {
  memory.assign((sizeof(plait_record_header) + PLAIT_SECTION_COUNT * room) / 8, 0);
  record = reinterpret_cast<plait_record_header*>(memory.data());
  record->ticks_per_s = 1e9;
  for (int i = 0; i < PLAIT_SECTION_COUNT; ++i) {
    const uint64_t offset = sizeof(plait_record_header) + static_cast<uint64_t>(i) * room;
    const uint32_t bytes = entry_bytes_of(i);
    record->sections[i] = {offset, bytes, bytes ? room / bytes : 0, 0, 0, {}};
  }
  record->sections[PLAIT_SECTION_STRINGS].count = 1;
  notes.clear();
}

std::string test::string_at(uint32_t offset) {
  return table(PLAIT_SECTION_STRINGS) + offset;
}

uint32_t add_string(const char* text) {
  const std::lock_guard hold(mutex);
  auto& strings = record->sections[PLAIT_SECTION_STRINGS];
  const uint32_t at = strings.count;
  std::memcpy(table(PLAIT_SECTION_STRINGS) + at, text, std::strlen(text) + 1);
  strings.count += static_cast<uint32_t>(std::strlen(text)) + 1;
  return at;
}

void* append(plait_section section) {
  auto& header = record->sections[section];
  if (header.count == header.capacity) {
    lose_entry(section);
    return nullptr;
  }
  return table(section) + static_cast<size_t>(header.count) * header.entry_bytes;
}

void publish(plait_section section) {
  ++record->sections[section].count;
}

void lose_entry(plait_section section) {
  ++record->sections[section].lost;
}

void* map_pages(uint64_t bytes) {
  pages.emplace_back(new uint64_t[bytes / 8 + 1]());
  return pages.back().get();
}

void note(const char* text) {
  const std::lock_guard hold(mutex);
  test::notes.emplace_back(text);
}

uint64_t thread_mpi_ticks() {
  return test::mpi_ticks;
}

uint64_t read_wait(WaitClock& clock, uint64_t now) {
  clock.sampled = now;
  return std::exchange(test::waited_ticks, 0);
}

void placement_after_parallel(int, int) {
  ++test::placed;
}

}  // namespace plait::preload

// No counters are wanted.
namespace plait::preload::counters {

bool active = false;

void set_region(uint32_t, uint64_t, uint64_t) {}
uint32_t region() {
  return 0;
}
void begin_work(int, uint32_t) {}
void end_work() {}

}  // namespace plait::preload::counters

// No trace is asked for.
namespace plait::preload::trace {

int state = kOff;

void add_region(uint32_t, uint64_t, uint64_t) {}
void see_region(uint64_t, bool, uint64_t) {}
void add_parallel(uint32_t, uint64_t, uint64_t, uint32_t, uint64_t) {}
void add_work(uint32_t, uint64_t, uint64_t, uint64_t, int) {}
void add_cpu_wait(uint64_t, uint64_t) {}

}  // namespace plait::preload::trace
