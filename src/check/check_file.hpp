// SPDX-License-Identifier: BSD-3-Clause
// Bounds-checked access to a mapped check file.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

#include "trace/check_format.h"

namespace plait::check {

/// One check file, mapped read-only. Its process may still run: entries of sections are complete,
/// but operations and threads change, and sections grow.
class CheckFile {
public:
  /// @throws plait::Error when it cannot be opened, is not a check file, or is of another version.
  explicit CheckFile(std::filesystem::path file);
  ~CheckFile();
  CheckFile(const CheckFile&) = delete;
  CheckFile& operator=(const CheckFile&) = delete;

  /// Bytes of the file when it was opened.
  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] const plait_check_header& header() const { return *header_; }

  /// The entries that a section has now, as far as the file has them. Valid as long as the file.
  /// Maps what the section has grown by.
  template <class Entry>
  [[nodiscard]] std::span<const Entry> section(plait_check_section which) const {
    const std::size_t count = count_of(which, sizeof(Entry));
    return {reinterpret_cast<const Entry*>(sections_[which].begin), count};
  }

  /// A copy of the entries that a section has now.
  template <class Entry>
  [[nodiscard]] std::vector<Entry> copy(plait_check_section which) const {
    const auto entries = section<Entry>(which);
    return {entries.begin(), entries.end()};
  }

private:
  /// The blocks of a section, at addresses that follow each other.
  struct Mapped {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;     ///< of addresses
    std::size_t readable = 0;  ///< bytes of the file
  };
  [[nodiscard]] std::size_t count_of(plait_check_section which, std::size_t bytes) const;
  [[nodiscard]] Mapped map(plait_check_section which) const;
  static void unmap(const Mapped& mapped);

  std::filesystem::path path_;
  const plait_check_header* header_ = nullptr;
  std::size_t size_ = 0;
  mutable std::array<Mapped, PLAIT_CHECK_SECTIONS> sections_{};
  mutable std::vector<Mapped> outgrown_;  ///< earlier ones of sections, to which spans may refer
};

}  // namespace plait::check
