// SPDX-License-Identifier: BSD-3-Clause
// Compresses event files as processes do whose node sends them, for tests of the reader.
#pragma once

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "trace/event_format.h"

namespace plait::trace::test {

/// The frames of a file's pieces, as event_format.h describes them.
template <class Byte>
std::vector<Byte> compressed_events(const std::vector<Byte>& plain) {
  static_assert(sizeof(Byte) == 1);
  std::vector<Byte> file;
  for (std::size_t at = 0; at < plain.size(); at += PLAIT_EVENTS_PIECE) {
    const std::size_t piece = std::min<std::size_t>(PLAIT_EVENTS_PIECE, plain.size() - at);
    const std::size_t begin = file.size();
    file.resize(begin + ZSTD_compressBound(piece));
    file.resize(begin + ZSTD_compress(file.data() + begin, file.size() - begin, plain.data() + at,
                                      piece, 1));
    const std::size_t size = file.size() - begin, least = piece / PLAIT_EVENTS_RATIO + 1;
    if (size >= least) continue;
    std::uint32_t skipped[2] = {PLAIT_EVENTS_SKIPPED_MAGIC, 0};
    skipped[1] =
        static_cast<std::uint32_t>(std::max(least - size, sizeof skipped) - sizeof skipped);
    const std::size_t end = file.size();
    file.resize(end + sizeof skipped + skipped[1]);
    std::memcpy(file.data() + end, skipped, sizeof skipped);
  }
  return file;
}

}  // namespace plait::trace::test
