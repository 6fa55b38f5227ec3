// SPDX-License-Identifier: BSD-3-Clause
// Parts of an output file that several threads make at the same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "export/output_file.hpp"

namespace plait::exports {

/// Appends what write(sink, i) puts for 0 to count - 1, in this order.
/// @param events  events(i) is about how many events that is: of how many the text is in memory
template <class Events, class Write>
void put_in_order(Sink& out, std::size_t count, Events events, Write write) {
  const std::size_t together = std::min<std::size_t>(1 << 20, std::size_t{usable_cpus()} << 17);
  std::vector<Piece> pieces;
  for (std::size_t first = 0, last = 0; first < count; first = last) {
    for (std::size_t sum = 0; last < count && (last == first || sum < together); ++last) {
      sum += events(last) + 1;
    }
    if (last - first == 1) {
      write(out, first);
      continue;
    }
    if (pieces.size() < last - first) pieces.resize(last - first);
    for_each_index(last - first, [&](std::size_t i) { write(pieces[i], first + i); });
    for (std::size_t i = 0; i < last - first; ++i) {
      out.put(pieces[i].bytes());
      pieces[i].clear();
    }
  }
}

/// Appends items of a list: what write(sink, i) puts for 0 to count - 1, nothing or an item that
/// begins with a comma, in this order. If no item is before them, the first one loses its comma.
/// @param together  items that a thread makes at once
/// @param any       the list has items; is set
template <class Write>
void put_list(Sink& out, std::size_t count, std::size_t together, bool& any, Write write) {
  constexpr std::size_t kPieces = 64;
  std::vector<Piece> pieces(kPieces);
  for (std::size_t first = 0; first < count; first += kPieces * together) {
    for_each_index(kPieces, [&](std::size_t i) {
      pieces[i].clear();
      const std::size_t begin = std::min(count, first + i * together);
      const std::size_t end = std::min(count, begin + together);
      for (std::size_t at = begin; at < end; ++at) write(pieces[i], at);
    });
    for (const Piece& piece : pieces) {
      if (piece.bytes().empty()) continue;
      out.put(piece.bytes().substr(any ? 0 : 1));
      any = true;
    }
  }
}

}  // namespace plait::exports
