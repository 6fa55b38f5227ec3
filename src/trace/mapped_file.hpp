// SPDX-License-Identifier: BSD-3-Clause
// A file, or a member of a container of records, mapped read-only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace plait::trace {

/// The bytes of a file. They may change while the writer still runs, but not those of a member of a
/// container (trace/container.hpp), which is named by a path below its container.
class MappedFile {
public:
  /// @throws plait::Error when it is not a regular file or cannot be read, or when the checksum of
  /// a member is wrong, except that of events: their chunks have checksums of their own.
  explicit MappedFile(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

private:
  void unmap();
  std::size_t before_ = 0;  ///< mapped bytes before the first one
  std::span<const std::byte> bytes_;
};

}  // namespace plait::trace
