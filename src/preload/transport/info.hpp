// SPDX-License-Identifier: BSD-3-Clause
// What the provider offers to an MPI library.
#pragma once

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>

#include "preload/transport/host.hpp"

namespace plait::preload::provider {

inline constexpr const char* kName = "plait";
inline constexpr uint32_t kProviderVersion = FI_VERSION(1, 0);

/// Characters of an address with the end: FI_ADDR_STR, all of the same length.
inline constexpr std::size_t kAddressBytes = 64;

/// A description of the provider that satisfies `hints` (null: all that it can do).
/// @return FI_SUCCESS, -FI_ENODATA if it cannot do what is wanted, or -FI_ENOMEM
int describe(const Host& host, uint32_t version, const fi_info* hints, fi_info** info) noexcept;

}  // namespace plait::preload::provider
