// SPDX-License-Identifier: BSD-3-Clause
// Shared memory that has no name in the file system, and locks that end with their process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace plait::transport {

/// Memory that the processes of one user on one node share.
///
/// It is a file of a memory file system without a name: nobody else can open it, and nothing is
/// left of it when its last process ends, however that ends. Others reach it through the process
/// that created it, by an address that contains a random number of 128 bits.
class Segment {
public:
  /// Creates a segment. Its bytes are 0.
  /// @param committed  bytes from its beginning that are reserved now
  /// @param bytes      all, of which reserve() reserves further ones
  /// @param directory  of a memory file system
  /// @throws Error when the directory cannot be used or has no room
  static Segment create(uint64_t committed, uint64_t bytes,
                        const std::string& directory = "/dev/shm");

  /// Opens a segment that another process has created.
  /// @param address  of that process' address()
  /// @throws Error when it has ended, or is another user's
  static Segment open(const std::string& address);

  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&&) = delete;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  /// The text with which other processes open it, as long as this process has it.
  [[nodiscard]] std::string address() const;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] uint64_t bytes() const noexcept { return bytes_; }

  /// Reserves further bytes. @return false if there is no room for them
  [[nodiscard]] bool reserve(uint64_t offset, uint64_t bytes) const noexcept;

  /// Bytes that are reserved, as the file system counts them.
  [[nodiscard]] uint64_t reserved() const noexcept;

  /// Takes a lock until release() or the end of this process. @return false if another process has
  /// it
  [[nodiscard]] bool hold(uint32_t lock) const noexcept;

  /// Gives a lock back.
  void release(uint32_t lock) const noexcept;

  /// True if another process has the lock. A process that was killed has none.
  [[nodiscard]] bool is_held(uint32_t lock) const noexcept;

private:
  Segment(int file, std::byte* data, uint64_t bytes) : file_(file), data_(data), bytes_(bytes) {}

  int file_;
  std::byte* data_;
  uint64_t bytes_;
};

/// The first bytes of a segment.
struct SegmentHeader {
  uint64_t magic;
  uint64_t token[2];  ///< random
  uint64_t bytes;
};

/// False if the limit of files forbids one of that size: to try would end the program (SIGXFSZ).
bool permits_file_of(uint64_t bytes) noexcept;

}  // namespace plait::transport
