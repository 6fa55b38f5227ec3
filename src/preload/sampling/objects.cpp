// SPDX-License-Identifier: BSD-3-Clause
// Finds the loaded object of an address, and reads memory that may not be mapped.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/recorder.hpp"
#include "preload/sampling/cfi.hpp"

namespace plait::preload::sampling {

namespace {

// struct dl_find_object of glibc 2.35, which older headers do not have.
struct Found {
  unsigned long long flags;
  void *start, *end;
  link_map* map;
  void* eh_frame_hdr;
  unsigned long long reserved[8];
};

using FindObject = int (*)(void*, Found*);
FindObject find_in_linker;

// For older versions: the objects as they were when a thread began.
constexpr size_t kMostObjects = 1024;
struct List {
  size_t count;
  Object objects[kMostObjects];
};
List lists[2];
const List* listed;
int list_lock;

int add_object(dl_phdr_info* info, size_t, void* data) {
  auto* list = static_cast<List*>(data);
  if (list->count == kMostObjects) return 1;
  Object object{UINTPTR_MAX, 0, info->dlpi_addr, info->dlpi_name, nullptr};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const uintptr_t at = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) {
      object.eh_frame_hdr = reinterpret_cast<const uint8_t*>(at);
    }
    if (segment.p_type != PT_LOAD) continue;
    if (at < object.start) object.start = at;
    if (at + segment.p_memsz > object.end) object.end = at + segment.p_memsz;
  }
  if (object.start < object.end) list->objects[list->count++] = object;
  return 0;
}

}  // namespace

void learn_objects() {
  static bool looked;
  if (!looked) {
    looked = true;
    find_in_linker = reinterpret_cast<FindObject>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
  }
  if (find_in_linker) return;
  // The list that handlers may be reading stays as it is until the next time.
  SpinLock hold(&list_lock);
  List* next = listed == &lists[0] ? &lists[1] : &lists[0];
  next->count = 0;
  dl_iterate_phdr(add_object, next);
  __atomic_store_n(&listed, next, __ATOMIC_RELEASE);
}

bool find_object(uintptr_t address, Object* object) {
  if (find_in_linker) {
    Found found;
    if (find_in_linker(reinterpret_cast<void*>(address), &found)) return false;
    *object = {reinterpret_cast<uintptr_t>(found.start), reinterpret_cast<uintptr_t>(found.end),
               found.map ? found.map->l_addr : 0, found.map ? found.map->l_name : "",
               static_cast<const uint8_t*>(found.eh_frame_hdr)};
    return true;
  }
  const List* list = __atomic_load_n(&listed, __ATOMIC_ACQUIRE);
  for (size_t i = 0; list && i < list->count; ++i) {
    if (address < list->objects[i].start || address >= list->objects[i].end) continue;
    *object = list->objects[i];
    return true;
  }
  return false;
}

bool Memory::read(uintptr_t address, uint64_t* word) {
  if (address >= low_ && address < high_ && high_ - address >= sizeof *word) {
    memcpy(word, reinterpret_cast<const void*>(address), sizeof *word);
    return true;
  }
  const uintptr_t from = address & ~(kWindow - 1);
  if (address % sizeof *word != 0) return false;  // no stack is like that
  if (from != window_at_) {
    if (--outside_ < 0) return false;
    const iovec local{window_, kWindow};
    const iovec remote{reinterpret_cast<void*>(from), kWindow};
    window_at_ = 1;
    if (syscall(SYS_process_vm_readv, getpid(), &local, 1UL, &remote, 1UL, 0UL) !=
        static_cast<long>(kWindow))
      return false;
    window_at_ = from;
  }
  *word = window_[(address - from) / sizeof *word];
  return true;
}

}  // namespace plait::preload::sampling
