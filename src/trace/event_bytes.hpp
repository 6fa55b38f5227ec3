// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a raw event file, which may be compressed: then expanded a piece at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "trace/mapped_file.hpp"

namespace plait::trace {

/// A raw event file, loose or in a container. Of a compressed one, which event_format.h describes,
/// at most two expanded pieces are in memory.
class EventBytes {
public:
  /// @throws plait::Error when the file cannot be read
  explicit EventBytes(const std::filesystem::path& file);

  [[nodiscard]] bool compressed() const { return compressed_; }

  /// Bytes of the file before it was compressed: of the pieces before the first one whose frame is
  /// cut off or invalid, or larger than the file justifies.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// A part of the file, which must be within size() and not empty. Valid until the next call.
  /// @returns nothing when it cannot be expanded, or is longer than a piece
  [[nodiscard]] std::span<const std::byte> view(std::uint64_t offset, std::uint64_t bytes);

  /// Frees the expanded pieces.
  void release();

private:
  void find_frames();
  bool expand(std::size_t first, std::size_t last);

  MappedFile mapped_;
  bool compressed_ = false;
  std::uint64_t size_ = 0;
  std::vector<std::span<const std::byte>> frames_;  // one for each piece
  std::vector<std::byte> expanded_;
  std::size_t first_ = 0, held_ = 0;  // the pieces that are expanded
};

}  // namespace plait::trace
