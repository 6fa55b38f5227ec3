// SPDX-License-Identifier: BSD-3-Clause
// A whole file, mapped read-only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace plait::trace {

/// The bytes of a file. They may change while the writer still runs.
class MappedFile {
public:
  /// @throws plait::Error when it is not a regular file or cannot be read.
  explicit MappedFile(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

private:
  std::span<const std::byte> bytes_;
};

}  // namespace plait::trace
