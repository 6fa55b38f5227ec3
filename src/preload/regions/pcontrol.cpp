// SPDX-License-Identifier: BSD-3-Clause
// MPI_Pcontrol, with which programs control a profiler; plait/region.h uses it as well.
//
//   MPI_Pcontrol(PLAIT_REGION_BEGIN, name), MPI_Pcontrol(PLAIT_REGION_END, name)  plait/region.h
//   MPI_Pcontrol(1, name), MPI_Pcontrol(-1, name)                                 IPM's convention
//   MPI_Pcontrol(0), MPI_Pcontrol(1 and more): recording pauses, resumes          MPI's convention
//
// A program that calls MPI_Pcontrol(1), as the MPI standard describes it, passes no name, and the
// argument may be anything. It counts as a name only if it points to readable, printable, short
// text.
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "plait/region_levels.h"
#include "preload/counters/counters.hpp"
#include "preload/coverage/loaded.hpp"
#include "preload/recorder.hpp"
#include "preload/regions/regions.hpp"
#include "preload/trace/trace.hpp"

namespace plait::preload {

namespace {

constexpr size_t kLongest = 128;
constexpr const char* kMpi[] = {"libmpi.", "libmpich.", "libmpi_abi.", nullptr};

// Copies the text at `from` without ever faulting. False: there is none.
bool read_name(const char* from, char* name) {
  if (reinterpret_cast<uintptr_t>(from) < 4096) return false;
  memset(name, 0, kLongest + 1);
  // In two parts, so that text near the end of a mapping is read up to that end.
  size_t length = 0;
  while (length < kLongest) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(from) + length;
    size_t part = 4096 - at % 4096;
    if (part > kLongest - length) part = kLongest - length;
    iovec local{name + length, part};
    iovec remote{reinterpret_cast<void*>(at), part};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != static_cast<ssize_t>(part)) break;
    length += part;
    if (memchr(name, '\0', length)) break;
  }
  const size_t end = strnlen(name, kLongest + 1);
  if (end == 0 || end >= kLongest || end >= length) return false;
  for (size_t i = 0; i < end; ++i)
    if (name[i] < ' ' || name[i] > '~') return false;
  return true;
}

void control(int level, const char* argument) {
  if (!record) return;
  if (level == PLAIT_REGION_BEGIN) return region_enter(argument);
  if (level == PLAIT_REGION_END) return region_leave(argument);
  static bool switches;
  if (level != 1 && level != -1) switches = true;
  char name[kLongest + 1];
  if (!switches && (level == 1 || level == -1) && read_name(argument, name)) {
    return level == 1 ? region_enter(name) : region_leave(name);
  }
  record->control_level = static_cast<uint32_t>(level);
  if (level < 0) return;
  counters::read_now();  // what follows counts otherwise
  pause_recording(level == 0);
  if (trace::active()) trace::leave_out(trace::kPaused, level == 0, now_ticks());
}

using Pcontrol = int (*)(int, ...);

// Another tool, or the library, may use the call as well.
int pass_on(const char* symbol, int level, const char* argument) {
  static Pcontrol real[2];
  Pcontrol& function = real[*symbol == 'P'];
  if (!function) function = reinterpret_cast<Pcontrol>(next_symbol(symbol, kMpi));
  const bool ours = level == PLAIT_REGION_BEGIN || level == PLAIT_REGION_END;
  return function && !ours ? function(level, argument) : 0;
}

}  // namespace

extern "C" {

#define PLAIT_PCONTROL(symbol)                                                    \
  __attribute__((visibility("default"), used)) int symbol(const int level, ...) { \
    va_list arguments;                                                            \
    va_start(arguments, level);                                                   \
    const char* argument = va_arg(arguments, const char*);                        \
    va_end(arguments);                                                            \
    control(level, argument);                                                     \
    return pass_on(#symbol, level, argument);                                     \
  }

PLAIT_PCONTROL(MPI_Pcontrol)
PLAIT_PCONTROL(PMPI_Pcontrol)

}  // extern "C"

}  // namespace plait::preload
