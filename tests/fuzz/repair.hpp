// SPDX-License-Identifier: BSD-3-Clause
// Makes changed traces pass their checksums, so that fuzzing reaches what is behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "readers.hpp"
#include "trace/check_format.h"

namespace plait::fuzz {

/// The first byte of an event file that is to be compressed.
inline constexpr std::uint8_t kToCompress = 1;

/// A raw event file with right checksums of its closed chunks. After the byte kToCompress, it is
/// compressed with them. A file that is compressed already stays as it is.
std::vector<std::uint8_t> event_file(Bytes bytes);

/// A packed trace. If the first byte is 0, the rest is the file, and its chunks get right
/// checksums. Otherwise the rest is: a 32-bit length and the definitions (JSON), a 32-bit number
/// and the shapes, then chunks of a header (plait_packed_chunk, whose items and words say how many
/// 32-bit numbers follow), all of which are compressed.
std::vector<std::uint8_t> packed(Bytes bytes);

/// The opposite, for seeds: the second form of a packed trace.
std::vector<std::uint8_t> unpacked(const std::filesystem::path& file);

/// A container of records with right checksums of its index and members.
std::vector<std::uint8_t> container(Bytes file);

/// The bytes of a check file's header before its owners.
inline constexpr std::size_t kCheckHead = offsetof(plait_check_header, pad_);

/// A check file from its header (kCheckHead bytes) and at most 16 blocks, each with its owner and
/// the length of its content as 32-bit numbers, and the content, which zeros fill up.
std::vector<std::uint8_t> check_file(Bytes bytes);

}  // namespace plait::fuzz
