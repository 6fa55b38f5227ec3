// SPDX-License-Identifier: BSD-3-Clause
// Reading the memory of another process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plait::transport {

/// Copies memory of another process of the same user, with one copy by the kernel.
/// @return false if that is not permitted (containers, ptrace_scope, no dumps of that process) or
///         the memory is not there; some bytes may have been copied
[[nodiscard]] bool read_foreign(int32_t process, void* into, const void* from,
                                uint64_t bytes) noexcept;

}  // namespace plait::transport
