// SPDX-License-Identifier: BSD-3-Clause
// Walks the loaded objects.
#include "preload/coverage/loaded.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

namespace plait::preload {

const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void* loaded_library(const char* const* prefixes, char* name, size_t name_bytes) {
  char found[PATH_MAX] = "";
  any_loaded([&](const char* path, const dl_phdr_info&) {
    for (const char* const* prefix = prefixes; *prefix; ++prefix) {
      if (!strncmp(base_name(path), *prefix, strlen(*prefix))) {
        snprintf(found, sizeof found, "%s", path);
        return true;
      }
    }
    return false;
  });
  if (!*found) return nullptr;
  if (name) snprintf(name, name_bytes, "%s", base_name(found));
  return dlopen(found, RTLD_LAZY | RTLD_NOLOAD);
}

void* object_of(const void* address) {
  char found[PATH_MAX] = "";
  bool is_program = false;
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  any_loaded([&](const char* path, const dl_phdr_info& info) {
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const auto& segment = info.dlpi_phdr[i];
      const uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_LOAD && wanted >= begin && wanted - begin < segment.p_memsz) {
        snprintf(found, sizeof found, "%s", path);
        is_program = !*path;
        return true;
      }
    }
    return false;
  });
  if (is_program) return dlopen(nullptr, RTLD_LAZY);
  return *found ? dlopen(found, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
}

void* next_symbol(const char* symbol, const char* const* prefixes) {
  if (void* next = dlsym(RTLD_NEXT, symbol)) return next;
  void* library = loaded_library(prefixes);
  return library ? dlsym(library, symbol) : nullptr;
}

}  // namespace plait::preload
