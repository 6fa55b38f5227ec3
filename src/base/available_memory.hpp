// SPDX-License-Identifier: BSD-3-Clause
// The memory that is free.
#pragma once

#include <cstdint>

namespace plait {

/// Bytes that programs may still use without swapping: what the machine has available, or less if
/// the control group of this process has less left. A container sees its own group.
std::uint64_t available_memory();

}  // namespace plait
