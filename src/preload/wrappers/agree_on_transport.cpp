// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a run with --transport agree whether they use it.
#include "preload/wrappers/agree_on_transport.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

namespace plait::preload {
namespace {

/// The provider is in the folder of this object.
bool all_agree() {
  constexpr char kName[] = "libplait-fi.so";
  Dl_info own{};
  if (!dladdr(reinterpret_cast<void*>(&agree_on_transport), &own) || !own.dli_fname) return false;
  const char* const slash = strrchr(own.dli_fname, '/');
  const size_t folder = slash ? static_cast<size_t>(slash + 1 - own.dli_fname) : 0;
  char path[PATH_MAX];
  if (folder + sizeof kName > sizeof path) return false;
  memcpy(path, own.dli_fname, folder);
  memcpy(path + folder, kName, sizeof kName);
  // libfabric loads it again. It stays: the node that it has entered is used until the end.
  void* const object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!object) return false;
  const auto agree = reinterpret_cast<bool (*)()>(dlsym(object, "plait_transport_agree"));
  return agree && agree();
}

/// Takes back variables: a list of NAME, and of NAME=VALUE where they had a value before.
void undo(char* list) {
  char* rest = nullptr;
  for (char* one = strtok_r(list, ",", &rest); one; one = strtok_r(nullptr, ",", &rest)) {
    if (char* const value = strchr(one, '=')) {
      *value = 0;
      setenv(one, value + 1, 1);
    } else {
      unsetenv(one);
    }
  }
}

}  // namespace

void agree_on_transport() {
  const char* const list = getenv("PLAIT_TRANSPORT_UNDO");
  if (!list || all_agree()) return;
  char* const copy = strdup(list);
  if (!copy) return;
  undo(copy);
  free(copy);
}

}  // namespace plait::preload
