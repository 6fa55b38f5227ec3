// SPDX-License-Identifier: BSD-3-Clause
// The table of regions, and each thread's stack of open regions.
#include "preload/regions/regions.hpp"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "preload/counters/counters.hpp"
#include "preload/hooks.hpp"
#include "preload/key_index.hpp"
#include "preload/recorder.hpp"
#include "preload/trace/trace.hpp"

namespace plait::preload {

namespace {

constexpr int kDepth = 64;

KeyIndex known;  // hashes of name and parent to 1 + the index of the region; 0: there was no room
int region_lock;

struct Open {
  uint32_t region;  // 1 + index; 0: not recorded, no room
  uint64_t hash;    // of the name
  uint64_t begin, mpi_begin;
};
struct Stack {
  int depth;  // may exceed kDepth; those beyond are not recorded
  Open open[kDepth];
};
__attribute__((tls_model("initial-exec"))) __thread Stack stack;

plait_region_record* region_at(uint32_t number) {
  return entry_at<plait_region_record>(PLAIT_SECTION_REGIONS, number - 1);
}

// 1 + the index of the region of that name and parent; 0 when there is no room. Two names with
// the same 64-bit hash would count as one.
uint32_t find_region(const char* name, uint64_t name_hash, uint32_t parent) {
  const uint64_t key = name_hash ^ (uint64_t{parent} * 0x9e3779b97f4a7c15u);
  uint32_t number = known.find(key);
  if (number != KeyIndex::kAbsent) return number;
  SpinLock hold(&region_lock);
  number = known.find(key);
  if (number != KeyIndex::kAbsent) return number;
  number = record->sections[PLAIT_SECTION_REGIONS].count + 1;
  auto* region = static_cast<plait_region_record*>(append(PLAIT_SECTION_REGIONS));
  if (region) {
    region->name = add_string(name);
    region->parent = parent;
    publish(PLAIT_SECTION_REGIONS);
  } else {
    number = 0;
  }
  known.add(key, number);
  return number;
}

void close_innermost(Stack& mine, uint64_t now, uint64_t mpi_now) {
  const Open& open = mine.open[--mine.depth];
  if (open.region) {
    plait_region_record* region = region_at(open.region);
    __atomic_fetch_add(&region->count, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&region->ticks, now > open.begin ? now - open.begin : 0, __ATOMIC_RELAXED);
    __atomic_fetch_add(&region->mpi_ticks, mpi_now - open.mpi_begin, __ATOMIC_RELAXED);
    if (trace::active()) trace::add_region(open.region - 1, open.begin, now);
  }
  if (trace::active()) trace::see_region(open.hash, false, now);
}

}  // namespace

void region_enter(const char* name) {
  if (!record || !name) return;
  Stack& mine = stack;
  if (mine.depth >= kDepth) {
    ++mine.depth;
    note("user regions are nested more than 64 deep: deeper regions are not recorded");
    return;
  }
  Open& open = mine.open[mine.depth];
  const uint32_t parent = mine.depth > 0 ? mine.open[mine.depth - 1].region : 0;
  open.hash = plait_hash_text(name);
  open.region = find_region(name, open.hash, parent);
  ++mine.depth;
  open.mpi_begin = thread_mpi_ticks();
  if (counters::active && open.region)
    counters::set_region(open.region, now_ticks(), open.mpi_begin);
  open.begin = now_ticks();
  if (trace::active()) trace::see_region(open.hash, true, open.begin);
}

void region_leave(const char* name) {
  if (!record) return;
  const uint64_t now = now_ticks();
  const uint64_t mpi_now = thread_mpi_ticks();
  Stack& mine = stack;
  if (mine.depth > kDepth) {
    --mine.depth;
    return;
  }
  int at = mine.depth - 1;
  if (name) {
    const uint64_t hash = plait_hash_text(name);
    while (at >= 0 && mine.open[at].hash != hash) --at;
  }
  if (at < 0) {
    char text[192];
    snprintf(text, sizeof text, "the program ended a user region that it had not begun: %.100s",
             name ? name : "(no name)");
    note(text);
    return;
  }
  if (at < mine.depth - 1) {
    char text[192];
    snprintf(text, sizeof text,
             "the program ended the user region %.100s while regions within it were open", name);
    note(text);
  }
  while (mine.depth > at) close_innermost(mine, now, mpi_now);
  if (counters::active)
    counters::set_region(at > 0 ? mine.open[at - 1].region : 0, now_ticks(), mpi_now);
}

uint32_t open_region() {
  const Stack& mine = stack;
  const int depth = mine.depth < kDepth ? mine.depth : kDepth;
  return depth > 0 ? mine.open[depth - 1].region : 0;
}

}  // namespace plait::preload
