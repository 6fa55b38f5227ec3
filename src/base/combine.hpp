// SPDX-License-Identifier: BSD-3-Clause
// Combines what several processes know about the same things.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/plain_bytes.hpp"
#include "base/processes.hpp"

namespace plait {

/// The number of processes, 1 without any.
inline std::size_t size_of(const Processes* processes) {
  return static_cast<std::size_t>(processes == nullptr ? 1 : processes->size());
}
/// The number of this process.
inline std::size_t rank_of(const Processes* processes) {
  return static_cast<std::size_t>(processes == nullptr ? 0 : processes->rank());
}

/// Collective. Combines the values of all processes, element by element and in the order of the
/// processes. Each combines some elements, so no process holds the values of all.
/// @param values  equally many plain ones on all processes; gets the result
/// @param add     add(value, sum): adds a later value
template <class Value, class Add>
void combine(Processes* processes, std::vector<Value>& values, Add add) {
  const std::size_t size = size_of(processes);
  if (size == 1) return;
  std::vector<std::string> to;
  for (std::size_t process = 0; process < size; ++process) {
    const IndexRange range = share_of(values.size(), 1, size, process);
    BytesWriter text;
    text(std::vector<Value>(values.begin() + static_cast<std::ptrdiff_t>(range.first),
                            values.begin() + static_cast<std::ptrdiff_t>(range.last)));
    to.push_back(text.take());
  }
  std::vector<Value> sums, some;
  for (const std::string& text : processes->swap(std::move(to))) {
    BytesReader reader(text);
    reader(sums.empty() ? sums : some);
    for (std::size_t i = 0; i < some.size(); ++i) add(some[i], sums[i]);
  }
  BytesWriter own;
  own(sums);
  values.clear();
  for (const std::string& text : processes->exchange(own.take())) {
    BytesReader reader(text);
    reader(some);
    values.insert(values.end(), some.begin(), some.end());
  }
}

/// Collective. Gives all processes the values of one of them.
/// @param from  its number
template <class... Values>
void broadcast(Processes* processes, std::size_t from, Values&... values) {
  if (size_of(processes) == 1) return;
  const bool sends = rank_of(processes) == from;
  BytesWriter own;
  if (sends) own(values...);
  const std::vector<std::string> all = processes->exchange(own.take());
  if (sends) return;
  BytesReader reader(all[from]);
  reader(values...);
}

}  // namespace plait
