// SPDX-License-Identifier: BSD-3-Clause
// The libfabric that has loaded this provider.
#pragma once

#include <rdma/fabric.h>

#include <cstdint>

namespace plait::preload::provider {

/// Its functions, whose structures may be longer than those of the headers here.
struct Host {
  uint32_t (*version)() = nullptr;
  fi_info* (*dup_info)(const fi_info*) = nullptr;
  void (*free_info)(fi_info*) = nullptr;

  [[nodiscard]] bool complete() const noexcept {
    return version != nullptr && dup_info != nullptr && free_info != nullptr;
  }
};

/// @param caller  an address in the library that has called fi_prov_ini()
Host find_host(const void* caller) noexcept;

}  // namespace plait::preload::provider
