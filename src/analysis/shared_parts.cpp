// SPDX-License-Identifier: BSD-3-Clause
// Divides the parts of an analysis among processes, and gives all of them the results.
#include "analysis/shared_parts.hpp"

#include <string>

#include "base/parallel.hpp"

namespace plait::analysis {

void do_parts(const std::vector<SharedPart>& parts, Processes* processes, unsigned threads) {
  const auto size = static_cast<std::size_t>(processes == nullptr ? 1 : processes->size());
  const auto rank = static_cast<std::size_t>(processes == nullptr ? 0 : processes->rank());
  const auto count_of = [&](std::size_t process) {
    return process < parts.size() ? (parts.size() - process - 1) / size + 1 : 0;
  };
  for_each_index(
      count_of(rank), [&](std::size_t i) { parts[rank + i * size].work(); }, threads);
  if (size == 1) return;
  BytesWriter own;
  for (std::size_t i = rank; i < parts.size(); i += size) parts[i].write(own);
  const std::vector<std::string> all = processes->exchange(own.take());
  for (std::size_t process = 0; process < size; ++process) {
    BytesReader others(all[process]);
    for (std::size_t i = process; process != rank && i < parts.size(); i += size) {
      parts[i].read(others);
    }
  }
}

}  // namespace plait::analysis
