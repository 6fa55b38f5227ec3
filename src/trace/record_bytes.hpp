// SPDX-License-Identifier: BSD-3-Clause
// A mapped record file with checked access to headers, tables, strings and clock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "trace/budget.hpp"
#include "trace/mapped_file.hpp"
#include "trace/record_format.h"

namespace plait::trace {

/// Replaces invalid UTF-8 by '?': names come from arbitrary programs and go into JSON.
std::string valid_utf8(std::string text);

/// The bytes of one record file, mapped read-only. The process that writes it may still run, so a
/// table's count is read only once.
class RecordBytes {
public:
  /// @throws plait::Error when the file cannot be opened, is not a record, has another version, or
  ///         its header contradicts its size.
  explicit RecordBytes(std::filesystem::path file);

  /// Bytes of the file.
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  /// A copy of the header as it was when the file was opened, without entries in tables that its
  /// version does not have.
  [[nodiscard]] const plait_record_header& header() const { return header_; }

  /// The size of a table's entries, to read tables of earlier versions.
  [[nodiscard]] std::uint32_t entry_bytes(plait_section section) const {
    return header_.sections[section].entry_bytes;
  }

  /// The published entries of a table.
  /// @throws plait::Error when the position of one of its parts or its entry size is invalid.
  template <class Entry>
  [[nodiscard]] std::vector<Entry> table(plait_section section) const {
    const std::uint64_t count = header_.sections[section].count;
    std::vector<Entry> entries;
    while (entries.size() < count) {
      const plait_part part = part_of(section, entries.size(), sizeof(Entry));
      const auto added =
          array<Entry>(part_offset(section, part), std::min(part.room, count - entries.size()));
      entries.insert(entries.end(), added.begin(), added.end());
    }
    return entries;
  }

  /// `count` entries at `offset`, for tables outside the sections.
  /// @throws plait::Error when they are not within the file or are misaligned.
  template <class Entry>
  [[nodiscard]] std::span<const Entry> array(std::uint64_t offset, std::uint64_t count) const {
    if (count == 0) {
      return {};
    }
    check_range(offset, count, sizeof(Entry), alignof(Entry));
    return {reinterpret_cast<const Entry*>(bytes_.data() + offset), count};
  }

  /// The string at `offset` of STRINGS, as valid UTF-8; empty if there is none.
  /// @throws plait::Error when all strings together exceed the budget of copies.
  [[nodiscard]] std::string string(std::uint32_t offset);

  /// To be called before an entry gets a copy of something that others may refer to as well.
  /// @throws plait::Error when the budget of copies is used up.
  void take(std::uint64_t bytes);

  /// Ticks of the record's clock per second: from the two clock samples that are furthest apart, or
  /// as calibrated at load if the process ended too early.
  [[nodiscard]] double ticks_per_s() const { return ticks_per_s_; }

  /// A duration in seconds.
  [[nodiscard]] double seconds(std::uint64_t ticks) const {
    return static_cast<double>(ticks) / ticks_per_s_;
  }

  /// Seconds from load to the time `ticks`; 0 for earlier times and for "never".
  [[nodiscard]] double since_load(std::uint64_t ticks) const {
    return ticks > header_.at_load.ticks ? seconds(ticks - header_.at_load.ticks) : 0.0;
  }

  /// @throws plait::Error "FILE: damaged: HOW"
  [[noreturn]] void damaged(const std::string& how) const;

private:
  void check_header();
  [[nodiscard]] plait_part part_of(plait_section section, std::uint64_t index,
                                   std::size_t entry_bytes) const;
  [[nodiscard]] std::uint64_t part_offset(plait_section section, const plait_part& part) const {
    const plait_section_header& table = header_.sections[section];
    return part.number == 0 ? table.offset : table.more[part.number - 1];
  }
  void check_range(std::uint64_t offset, std::uint64_t count, std::size_t entry_bytes,
                   std::size_t alignment) const;
  void find_clock();

  std::filesystem::path file_;
  plait_record_header header_;  // read first: a file that is being written grows before its tables
  MappedFile mapped_;
  std::span<const std::byte> bytes_;
  Budget copies_;
  std::vector<char> strings_;
  double ticks_per_s_ = 0;
};

}  // namespace plait::trace
