// SPDX-License-Identifier: BSD-3-Clause
// Combines what several processes know about the same things.
#pragma once

#include <cstddef>
#include <iterator>
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

/// Collective. Gives each process a list.
/// @param to  by process
/// @returns the list from each process
template <class Value>
std::vector<std::vector<Value>> swap_lists(Processes& processes,
                                           const std::vector<std::vector<Value>>& to) {
  std::vector<std::string> texts;
  for (const std::vector<Value>& list : to) {
    BytesWriter text;
    text(list);
    texts.push_back(text.take());
  }
  std::vector<std::vector<Value>> from;
  for (const std::string& text : processes.swap(std::move(texts))) {
    BytesReader reader(text);
    reader(from.emplace_back());
  }
  return from;
}

/// One list after the other.
template <class Value>
std::vector<Value> joined(std::vector<std::vector<Value>> lists) {
  std::vector<Value> all;
  for (std::vector<Value>& list : lists) {
    all.insert(all.end(), std::make_move_iterator(list.begin()),
               std::make_move_iterator(list.end()));
  }
  return all;
}

/// Collective. The lists of all processes, one after the other.
template <class Value>
std::vector<Value> join_lists(Processes* processes, std::vector<Value> own) {
  if (size_of(processes) == 1) return own;
  BytesWriter text;
  text(own);
  std::vector<std::vector<Value>> all;
  for (const std::string& of_process : processes->exchange(text.take())) {
    BytesReader reader(of_process);
    reader(all.emplace_back());
  }
  return joined(std::move(all));
}

/// Collective. Combines the values of all processes, element by element and in the order of the
/// processes. Each combines some elements, so no process holds the values of all.
/// @param values  equally many plain ones on all processes; gets the result
/// @param add     add(value, sum): adds a later value
template <class Value, class Add>
void combine(Processes* processes, std::vector<Value>& values, Add add) {
  const std::size_t size = size_of(processes);
  if (size == 1) return;
  std::vector<std::vector<Value>> to;
  for (std::size_t process = 0; process < size; ++process) {
    const IndexRange range = share_of(values.size(), 1, size, process);
    to.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(range.first),
                    values.begin() + static_cast<std::ptrdiff_t>(range.last));
  }
  const std::vector<std::vector<Value>> from = swap_lists(*processes, to);
  std::vector<Value> sums = from.front();
  for (std::size_t process = 1; process < size; ++process) {
    for (std::size_t i = 0; i < sums.size(); ++i) add(from[process][i], sums[i]);
  }
  values = join_lists(processes, std::move(sums));
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

/// Collective. Gives process 0 the values of all processes.
/// @param values  gets those of all, in the order of the processes, on process 0; none on the
/// others
template <class Value>
void gather(Processes* processes, std::vector<Value>& values) {
  if (size_of(processes) == 1) return;
  std::vector<std::vector<Value>> to(size_of(processes));
  to.front() = std::move(values);
  values = joined(swap_lists(*processes, to));
}

}  // namespace plait
