// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a run with --transport agree whether they use it.
#include "preload/wrappers/agree_on_transport.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/mpi_library.hpp"
#include "trace/transport_page.h"

namespace plait::preload {
namespace {

/// A variable that `plait run` has set. run/transport_variables.hpp describes the list of them.
struct Change {
  const char* name;
  const char* set;
  const char* before;  ///< null: it was not set
  bool decides;        ///< which transport the MPI library takes

  [[nodiscard]] bool stands() const {
    const char* const value = getenv(name);
    return value && !strcmp(value, set);
  }
};

/// Replaces %XX, in place.
char* plain(char* text) {
  char* to = text;
  for (const char* from = text; *from;) {
    unsigned code = 0;
    int length = 0;
    if (*from == '%' && sscanf(from, "%%%2x%n", &code, &length) == 1 && length == 3) {
      *to++ = static_cast<char>(code);
      from += length;
    } else {
      *to++ = *from++;
    }
  }
  *to = 0;
  return text;
}

/// Calls `see` with each change.
template <class See>
void for_each_change(const char* list, See see) {
  char* const copy = strdup(list);
  char* rest = nullptr;
  for (char* one = copy ? strtok_r(copy, ",", &rest) : nullptr; one;
       one = strtok_r(nullptr, ",", &rest)) {
    char* parts = nullptr;
    char* const name = strtok_r(one, "=", &parts);
    char* const set = name ? strtok_r(nullptr, "=", &parts) : nullptr;
    char* const before = set ? strtok_r(nullptr, "=", &parts) : nullptr;
    if (!set) continue;
    const bool decides = *name == '!';
    see(Change{name + (decides ? 1 : 0), plain(set), before ? plain(before) : nullptr, decides});
  }
  free(copy);
}

/// The provider is in the folder of this object.
bool all_agree(const char* objection) {
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
  const auto agree =
      reinterpret_cast<bool (*)(const char*, unsigned)>(dlsym(object, "plait_transport_agree"));
  const unsigned habits = kAbi != PLAIT_ABI_OPENMPI ? PLAIT_TRANSPORT_OWN_PATH
                          : is_open_mpi_4()         ? PLAIT_TRANSPORT_FORGETS_SENDERS
                                                    : 0;
  return agree && agree(objection, habits);
}

}  // namespace

bool agree_on_transport() {
  const char* const list = getenv("PLAIT_TRANSPORT_UNDO");
  if (!list) return false;
  char objection[200] = "";
  for_each_change(list, [&](const Change& change) {
    if (!change.decides || change.stands() || *objection) return;
    const char* const value = getenv(change.name);
    snprintf(objection, sizeof objection, "the launcher has set %s=%s", change.name,
             value ? value : "");
  });
  if (all_agree(objection)) return true;
  for_each_change(list, [](const Change& change) {
    if (!change.stands()) return;  // the launcher has set another value
    if (change.before) {
      setenv(change.name, change.before, 1);
    } else {
      unsetenv(change.name);
    }
  });
  return false;
}

}  // namespace plait::preload
