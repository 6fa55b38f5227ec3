// SPDX-License-Identifier: BSD-3-Clause
// A limit on the memory of this process, beyond which large blocks live in a file.
#pragma once

#include <cstdint>

#include "cli/command.hpp"

namespace plait::cli {

/// Limits the resident memory of the process: what operator new would take beyond it goes to a
/// temporary file in $TMPDIR (default: /var/tmp). Where there is no room, the heap is used, with
/// one warning. Without a call, the limit is three quarters of the memory that is free when blocks
/// of 64 KiB and more first exceed 256 MiB. What small blocks take cannot go to the file.
/// @param bytes  0: the default
/// @param processes  of this node that work and have the same default: each gets a part of it
void limit_memory(std::uint64_t bytes, int processes = 1);

/// --memory-limit; the action of the command must call limit_memory(parse_memory_limit(text)).
void add_memory_limit(Command& command, std::string& text);

/// @returns bytes; 0 for an empty text
/// @throws Error when it is not a size, or less than 64 MiB
std::uint64_t parse_memory_limit(const std::string& text);

}  // namespace plait::cli
