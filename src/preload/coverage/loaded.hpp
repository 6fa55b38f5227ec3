// SPDX-License-Identifier: BSD-3-Clause
// Finds the objects loaded into this process, by name and by address, and their symbols.
#pragma once

#include <link.h>
#include <stddef.h>

namespace plait::preload {

/// Calls `visit(path, info)` for each loaded object until it returns true; the executable's path is
/// "". Takes the dynamic linker's lock: not for hot paths.
template <class Visit>
bool any_loaded(Visit&& visit) {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, size_t, void* data) {
               const char* path = info->dlpi_name ? info->dlpi_name : "";
               return (*static_cast<Visit*>(data))(path, *info) ? 1 : 0;
             },
             &visit) != 0;
}

/// The part of a path after its last slash.
const char* base_name(const char* path);

/// A handle of the first loaded library whose file name begins with one of `prefixes` (ended by a
/// null), also of those that were opened RTLD_LOCAL; null if there is none. Never loads anything.
/// @param name  gets its file name (at most `name_bytes`); may be null
void* loaded_library(const char* const* prefixes, char* name = nullptr, size_t name_bytes = 0);

/// A handle of the object that contains `address`; null if there is none.
void* object_of(const void* address);

/// The next definition of `symbol` after this object, or, when it is in no global scope, the one
/// in a library whose file name begins with one of `prefixes`.
void* next_symbol(const char* symbol, const char* const* prefixes);

}  // namespace plait::preload
