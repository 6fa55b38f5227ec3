// SPDX-License-Identifier: BSD-3-Clause
// Memory for large blocks that lives in a file, so that only a part of it is resident.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/descriptor.hpp"

namespace plait {

/// Blocks of memory in a temporary file without a name. While the resident memory of the process
/// comes close to a budget, a thread drops all pages of the blocks from it: their contents stay in
/// the file, and the next access brings them back. Suits blocks that are used from begin to end,
/// again and again; an access to dropped memory costs about a microsecond for each page (4 KiB),
/// more if the kernel had to write the page to the disk. If the kernel has no memory to map the
/// file again, the process ends with a message.
///
/// Thread-safe. Does not allocate from the heap after construction, so that operator new may use
/// it.
class FileMemory {
public:
  /// @param folder  of the temporary file; not in memory (tmpfs), or nothing is gained
  /// @param resident  bytes of memory that the process, this memory included, is to have
  /// @throws Error when the file or the address space cannot be had.
  FileMemory(const std::filesystem::path& folder, std::size_t resident);
  ~FileMemory();
  FileMemory(const FileMemory&) = delete;
  FileMemory& operator=(const FileMemory&) = delete;

  /// A block that begins at a page boundary. Its room on the disk is reserved, so that no access
  /// can fail later.
  /// @returns nullptr when the disk or the address space is full
  void* allocate(std::size_t bytes) noexcept;

  /// Keeps a block for the next ones of its size.
  void release(void* block) noexcept;

  /// @returns whether `allocate` returned the address
  [[nodiscard]] bool contains(const void* address) const noexcept;

  /// Bytes of the blocks that are allocated, whole pages.
  [[nodiscard]] std::size_t allocated() const noexcept { return allocated_; }

private:
  /// Of a block, by the number of its begin. Blocks themselves hold nothing of ours: an access to
  /// one may have to wait for the disk.
  struct Entry {
    std::uint32_t next;  // free block: one more than its number
    std::uint8_t kind;   // of its size
  };

  std::byte* extend(std::size_t size) noexcept;
  [[nodiscard]] std::uint32_t number_of(const void* block) const noexcept;
  void watch();
  void drop_all() noexcept;

  Descriptor file_;
  std::size_t enough_;         // resident bytes of the process, with which all pages are dropped
  std::size_t addresses_ = 0;  // bytes that are reserved at base_
  std::byte* base_ = nullptr;
  Entry* entries_ = nullptr;
  std::size_t most_ = 0;  // bytes of the file
  std::mutex mutex_;      // of end_, entries_, free_; held while the disk allocates
  std::array<std::uint32_t, 256> free_{};  // by kind; see Entry::next
  std::atomic<std::size_t> end_ = 0;       // of the blocks, as an offset
  std::atomic<std::size_t> allocated_ = 0;
  std::mutex stop_mutex_;  // of stop_
  std::condition_variable stop_changed_;
  bool stop_ = false;
  std::thread watcher_;
};

}  // namespace plait
