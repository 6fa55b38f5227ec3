// SPDX-License-Identifier: BSD-3-Clause
// The libfabric that has loaded this provider.
#include "preload/transport/host.hpp"

#include <dlfcn.h>

namespace plait::preload::provider {
namespace {

Host functions_of(const char* path) noexcept {
  Host host;
  void* const library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return host;
  host.version = reinterpret_cast<decltype(host.version)>(dlsym(library, "fi_version"));
  host.dup_info = reinterpret_cast<decltype(host.dup_info)>(dlsym(library, "fi_dupinfo"));
  host.free_info = reinterpret_cast<decltype(host.free_info)>(dlsym(library, "fi_freeinfo"));
  dlclose(library);  // the library stays: it has loaded this object
  return host;
}

}  // namespace

Host find_host(const void* caller) noexcept {
  Dl_info info{};
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return {};
  return functions_of(info.dli_fname);
}

}  // namespace plait::preload::provider
