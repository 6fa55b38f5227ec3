// SPDX-License-Identifier: BSD-3-Clause
// Bounds-checked access to a mapped check file.
#pragma once

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

#include "trace/check_format.h"

namespace plait::check {

/// One check file, mapped read-only. Its process may still run: entries of sections are complete,
/// but operations and threads change.
class CheckFile {
public:
  /// @throws plait::Error when it cannot be opened, is not a check file, or is of another version.
  explicit CheckFile(const std::filesystem::path& file);
  ~CheckFile();
  CheckFile(const CheckFile&) = delete;
  CheckFile& operator=(const CheckFile&) = delete;

  [[nodiscard]] const plait_check_header& header() const {
    return *reinterpret_cast<const plait_check_header*>(bytes_.data());
  }

  /// The entries that a section has now, up to the end of the file.
  template <class Entry>
  [[nodiscard]] std::span<const Entry> section(plait_check_section which) const {
    return {reinterpret_cast<const Entry*>(begin_of(which, sizeof(Entry))),
            count_of(which, sizeof(Entry))};
  }

  /// A copy of the entries that a section has now.
  template <class Entry>
  [[nodiscard]] std::vector<Entry> copy(plait_check_section which) const {
    const auto entries = section<Entry>(which);
    return {entries.begin(), entries.end()};
  }

private:
  [[nodiscard]] const std::byte* begin_of(plait_check_section which, std::size_t bytes) const;
  [[nodiscard]] std::size_t count_of(plait_check_section which, std::size_t bytes) const;

  std::span<const std::byte> bytes_;
};

}  // namespace plait::check
