// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a run with --transport agree whether they use it.
#include "preload/wrappers/agree_on_transport.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

namespace plait::preload {
namespace {

bool all_agree(const char* path) {
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
  const char* const object = getenv("PLAIT_TRANSPORT_OBJECT");
  const char* const list = getenv("PLAIT_TRANSPORT_UNDO");
  if (!object || !*object || !list || all_agree(object)) return;
  char* const copy = strdup(list);
  if (!copy) return;
  undo(copy);
  free(copy);
}

}  // namespace plait::preload
