// SPDX-License-Identifier: BSD-3-Clause
// Writes a container of records as a stream of bytes.
//
// Freestanding: the preload objects compile container_writer.cpp too, and link no C++ run-time
// library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/container_format.h"

namespace plait::trace {

/// Takes the next bytes of the container. @return false: they could not be written; nothing more
/// is then given to it
using PutBytes = bool (*)(void* context, const void* data, std::uint64_t bytes);

/// Copies files into a container, piece by piece. Allocates nothing.
class ContainerWriter {
public:
  struct Room {
    plait_container_member* members;  ///< zeroed
    std::uint32_t most;               ///< entries there
    char* buffer;                     ///< for a piece
    std::uint64_t buffer_bytes;       ///< a multiple of PLAIT_CONTAINER_ALIGNMENT
  };

  /// Writes the header.
  ContainerWriter(const Room& room, PutBytes put_bytes, void* context);

  /// Copies what an open file has from `offset` on.
  /// @param bytes  at most as many; a shorter file gives fewer
  /// @return false if it is left out: its name is too long, there is no room for it, or it cannot
  /// be read
  bool add(const char* name, int file, std::uint64_t offset, std::uint64_t bytes);

  /// Writes index and trailer. @return false when anything could not be written
  bool end();

  [[nodiscard]] std::uint32_t members() const { return count_; }
  [[nodiscard]] bool has_failed() const { return failed_; }

private:
  void put(const void* data, std::uint64_t bytes);
  void pad();

  Room room_;
  PutBytes put_;
  void* context_;
  std::uint32_t count_ = 0;
  std::uint64_t at_ = 0;
  bool failed_ = false;
};

}  // namespace plait::trace
