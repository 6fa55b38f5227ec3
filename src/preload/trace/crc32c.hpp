// SPDX-License-Identifier: BSD-3-Clause
// CRC-32C (Castagnoli), of one piece of memory or of three of equal length at once.
#pragma once

#include <stdint.h>

namespace plait::preload::trace {

uint32_t crc32c(const void* data, uint64_t bytes);

/// The CRC-32C of each of three columns: together they take hardly longer than one, because the
/// processor's instruction has a latency of three cycles and can begin in each.
void crc32c_of_three(const void* const (&columns)[3], uint64_t bytes, uint32_t (&crcs)[3]);

}  // namespace plait::preload::trace
