// SPDX-License-Identifier: BSD-3-Clause
// Finds the MPI library, even if it was opened with RTLD_LOCAL (mpi4py).
#include "preload/mpi_library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

namespace plait::preload {
namespace {

constexpr int kMaxCandidates = 8;

// A function that no preload object of Plait defines: if it exists, there is an MPI library.
constexpr const char* kLibraryOnly = "PMPI_Get_library_version";

struct Candidates {
  char paths[kMaxCandidates][512];
  int count = 0;
};

int collect_mpi_library(dl_phdr_info* object, size_t, void* data) {
  auto* found = static_cast<Candidates*>(data);
  const char* slash = strrchr(object->dlpi_name, '/');
  const char* file = slash ? slash + 1 : object->dlpi_name;
  if (strncmp(file, "libmpi", 6) != 0 || found->count == kMaxCandidates) return 0;
  const size_t bytes = strlen(object->dlpi_name) + 1;
  if (bytes <= sizeof found->paths[0])
    memcpy(found->paths[found->count++], object->dlpi_name, bytes);
  return 0;
}

// A library that was opened with RTLD_LOCAL is not a "next" object; it is found by its name.
void* local_library() {
  static void* library;
  if (library) return library;
  Candidates found;
  dl_iterate_phdr(collect_mpi_library, &found);
  for (int i = 0; i < found.count; ++i) {
    void* handle = dlopen(found.paths[i], RTLD_LAZY | RTLD_NOLOAD);
    if (handle && dlsym(handle, "PMPI_Init")) return library = handle;
  }
  return nullptr;
}

}  // namespace

void* find_symbol(const char* name) {
  if (void* symbol = dlsym(RTLD_NEXT, name)) return symbol;
  void* library = local_library();
  return library ? dlsym(library, name) : nullptr;
}

void* find_data(const char* name) {
  if (void* datum = dlsym(RTLD_DEFAULT, name)) return datum;
  void* library = local_library();
  return library ? dlsym(library, name) : nullptr;
}

bool has_mpi() {
  return find_symbol(kLibraryOnly) != nullptr;
}

bool library_fits() {
  Dl_info library;
  void* function = find_symbol(kLibraryOnly);
  if (!function || !dladdr(function, &library) || !library.dli_fname) return true;
  plait_abi found = PLAIT_ABI_MPICH;
  if (find_data("ompi_mpi_comm_world")) found = PLAIT_ABI_OPENMPI;
  if (strstr(library.dli_fname, "libmpi_abi")) found = PLAIT_ABI_STANDARD;
  return found == kAbi;
}

bool is_open_mpi_4() {
  if (kAbi != PLAIT_ABI_OPENMPI) return false;
  char version[257] = "";  // Open MPI's MPI_MAX_LIBRARY_VERSION_STRING is 256
  int length = 0;
  const auto ask = reinterpret_cast<int (*)(char*, int*)>(find_symbol(kLibraryOnly));
  return ask && ask(version, &length) == 0 && !strncmp(version, "Open MPI v4.", 12);
}

}  // namespace plait::preload
