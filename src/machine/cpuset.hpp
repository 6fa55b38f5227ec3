// SPDX-License-Identifier: BSD-3-Clause
// A set of hardware threads (operating-system indices), in the list format of launchers and Linux.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plait::machine {

/// The largest index of a hardware thread in Plait's input; Linux has at most 8192 of them.
inline constexpr int kMostPu = 65535;

/// A value type: a set of non-negative indices, written "0-3,8".
class CpuSet {
public:
  CpuSet() = default;

  /// The set {first, ..., last}; empty when last < first.
  static CpuSet range(int first, int last);

  /// The set of the given indices, in any order.
  static CpuSet of(const std::vector<int>& indices);

  /// Parses "0-3,8", also with blanks and a final newline; "" is the empty set.
  /// @throws Error when the text is not such a list or an index exceeds kMostPu.
  static CpuSet parse(std::string_view text);

  /// The hardware threads on which a thread may run (sched_getaffinity).
  /// @param tid  thread id; 0 is the caller
  /// @throws Error when there is no such thread.
  static CpuSet affinity_of(int tid);

  void set(int index);
  void clear(int index);
  [[nodiscard]] bool test(int index) const;
  [[nodiscard]] int count() const;
  [[nodiscard]] bool empty() const { return words_.empty(); }
  /// The lowest or highest index; -1 when empty.
  [[nodiscard]] int first() const;
  [[nodiscard]] int last() const;
  [[nodiscard]] bool intersects(const CpuSet& other) const;
  [[nodiscard]] bool subset_of(const CpuSet& other) const;
  /// All indices in ascending order.
  [[nodiscard]] std::vector<int> indices() const;
  /// "0-3,8"; "" when empty.
  [[nodiscard]] std::string format() const;

  CpuSet& operator&=(const CpuSet& other);
  CpuSet& operator|=(const CpuSet& other);
  CpuSet& operator-=(const CpuSet& other);
  friend CpuSet operator&(CpuSet a, const CpuSet& b) { return a &= b; }
  friend CpuSet operator|(CpuSet a, const CpuSet& b) { return a |= b; }
  friend CpuSet operator-(CpuSet a, const CpuSet& b) { return a -= b; }
  friend bool operator==(const CpuSet&, const CpuSet&) = default;

private:
  /// Drops trailing zero words, so that equal sets have equal words_.
  void trim();
  std::vector<std::uint64_t> words_;
};

/// Numbers of cores, domains or threads as a list for people: "0-3,8"; "-" for none.
std::string format_ids(const std::vector<int>& ids);

}  // namespace plait::machine
