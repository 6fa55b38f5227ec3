// SPDX-License-Identifier: BSD-3-Clause
// The files of descriptors, and which calls are the program's.
#include "preload/io/observe.hpp"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/access.hpp"
#include "preload/recorder.hpp"

namespace plait::preload::io {

namespace {

constexpr int kDescriptors = 1 << 16;  // further ones are counted together
constexpr int kMostOwn = 8;            // segments of Plait's objects

Descriptor descriptors[kDescriptors];
const Access* access;
struct {
  uintptr_t begin, end;
} own_code[kMostOwn];
int own_count;

int find_own_code(dl_phdr_info* object, size_t, void*) {
  const char* path = object->dlpi_name ? object->dlpi_name : "";
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  // Through the object of signals, the program itself may call.
  if (strncmp(name, "libplait-", 9) != 0 || !strncmp(name, "libplait-signals", 16)) return 0;
  for (int i = 0; i < object->dlpi_phnum && own_count < kMostOwn; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    own_code[own_count].begin = object->dlpi_addr + part.p_vaddr;
    own_code[own_count].end = object->dlpi_addr + part.p_vaddr + part.p_memsz;
    ++own_count;
  }
  return 0;
}

// Before other constructors may call for files.
__attribute__((constructor(101))) void at_load() {
  dl_iterate_phdr(find_own_code, nullptr);
  if (plait_preload_access) access = plait_preload_access();
}

Descriptor* at(int descriptor) {
  return descriptor >= 0 && descriptor < kDescriptors ? &descriptors[descriptor] : nullptr;
}

// An absolute path as the program gave it. False: unknown, or too long.
bool make_absolute(int folder, const char* path, char* into, size_t room) {
  if (path[0] == '/') return false;
  size_t length = 0;
  if (folder == AT_FDCWD) {
    if (!getcwd(into, room)) return false;
    length = strlen(into);
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    const ssize_t read = readlink(link, into, room - 1);
    if (read <= 0) return false;
    length = static_cast<size_t>(read);
  }
  if (length == 1) length = 0;  // the root
  const int added = snprintf(into + length, room - length, "/%s", path);
  return added > 0 && length + static_cast<size_t>(added) < room;
}

// A descriptor that was opened before it was recorded, or by a call that is not seen.
void identify(int number, Descriptor* descriptor, plait_file_kind kind) {
  struct stat status;
  char link[64], path[PATH_MAX];
  if (fstat(number, &status)) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", number);
  const ssize_t length = S_ISREG(status.st_mode) ? readlink(link, path, sizeof path - 1) : -1;
  if (length <= 0) {
    descriptor->other = true;
    return;
  }
  path[length] = '\0';
  descriptor->files[kind] = access->file(path, kind);
}

}  // namespace

bool is_observed(const void* caller) {
  if (!access || !access->recording()) return false;
  const auto address = reinterpret_cast<uintptr_t>(caller);
  for (int i = 0; i < own_count; ++i)
    if (address >= own_code[i].begin && address < own_code[i].end) return false;
  return true;
}

bool is_observed_here(const void* caller) {
  return is_observed(caller) && access->pid() == getpid();
}

void* next_function(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

plait_file_kind user_kind() {
  return access->inside_mpi() ? PLAIT_FILE_IN_MPI : PLAIT_FILE_POSIX;
}

plait_file_record* file_of(int number, plait_file_kind kind) {
  Descriptor* descriptor = at(number);
  if (!descriptor) return number < 0 ? nullptr : access->file("", kind);
  if (descriptor->files[kind]) return descriptor->files[kind];
  if (descriptor->other) return nullptr;
  const int error = errno;
  for (const plait_file_record* known : descriptor->files)
    if (known) descriptor->files[kind] = access->file_as(known, kind);
  if (!descriptor->files[kind]) identify(number, descriptor, kind);
  errno = error;
  return descriptor->files[kind];
}

plait_file_record* set_file(int number, int folder, const char* path, plait_file_kind kind) {
  const int error = errno;
  char whole[PATH_MAX];
  const bool relative = make_absolute(folder, path, whole, sizeof whole);
  plait_file_record* file = access->file(relative ? whole : path, kind);
  if (Descriptor* descriptor = at(number)) {
    memset(descriptor, 0, sizeof *descriptor);
    descriptor->files[kind] = file;
  }
  errno = error;
  return file;
}

plait_file_record* folder_entry(int folder, const char* path, plait_file_kind kind) {
  const int error = errno;
  char whole[PATH_MAX];
  if (!make_absolute(folder, path, whole, sizeof whole)) {
    const size_t length = strnlen(path, sizeof whole);
    if (length == sizeof whole) return nullptr;
    memcpy(whole, path, length + 1);
  }
  char* slash = strrchr(whole, '/');
  if (slash) slash[1] = '\0';
  plait_file_record* file = access->file(whole, kind);
  errno = error;
  return file;
}

Descriptor forget_file(int number) {
  Descriptor none = {};
  Descriptor* descriptor = at(number);
  if (!descriptor) return none;
  const Descriptor was = *descriptor;
  *descriptor = none;
  return was;
}

void copy_file(int from, int to) {
  Descriptor* source = at(from);
  Descriptor* target = at(to);
  if (!target || source == target) return;
  if (source)
    *target = *source;
  else
    memset(target, 0, sizeof *target);
}

Observed::Observed(uint64_t began) : began_(began) {
  // Before it moves data, which then count for the time from now on.
  if (began && access->sample(began)) began_ = preload::now_ticks();
}

void Observed::end(plait_file_record* file, plait_io_operation operation, int64_t result) const {
  if (!file || !access->counting()) return;
  const bool moves = operation == PLAIT_IO_READ || operation == PLAIT_IO_WRITE;
  const uint64_t bytes = moves && result > 0 ? static_cast<uint64_t>(result) : 0;
  const uint64_t ended = preload::now_ticks();
  add_operation(file, operation, bytes, result < 0, began_, ended, access->moved);
  access->sample(ended);
}

uint64_t now_ticks() {
  return preload::now_ticks();
}

}  // namespace plait::preload::io
