// SPDX-License-Identifier: BSD-3-Clause
// Tests of memory that lives in a file.
#include "base/file_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "plait/error.hpp"

namespace plait {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::filesystem::path folder() {
  return std::filesystem::temp_directory_path();
}

void fill(void* block, std::size_t bytes, std::uint64_t seed) {
  auto* numbers = static_cast<std::uint64_t*>(block);
  for (std::size_t i = 0; i < bytes / 8; ++i) numbers[i] = seed + i * i;
}

bool holds(const void* block, std::size_t bytes, std::uint64_t seed) {
  const auto* numbers = static_cast<const std::uint64_t*>(block);
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    if (numbers[i] != seed + i * i) return false;
  }
  return true;
}

/// True if all blocks together have at most this many bytes in memory, at once or soon.
bool become_resident_at_most(const std::vector<void*>& blocks, std::size_t bytes,
                             std::size_t most) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < end) {
    std::size_t resident = 0;
    for (void* block : blocks) {
      // Counts the pages of this process, which mincore() does not: those stay in the page cache.
      std::uintptr_t first = reinterpret_cast<std::uintptr_t>(block) / 4096;
      FILE* map = std::fopen("/proc/self/pagemap", "rb");
      if (map == nullptr) return false;
      std::vector<std::uint64_t> pages(bytes / 4096);
      std::fseek(map, static_cast<long>(first * 8), SEEK_SET);
      const std::size_t read = std::fread(pages.data(), 8, pages.size(), map);
      std::fclose(map);
      for (std::size_t i = 0; i < read; ++i) resident += (pages[i] >> 63) * 4096;
    }
    if (resident <= most) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(FileMemory, BlocksKeepWhatIsWrittenThoughTheyLeaveMemory) {
  // The process has more than that: all pages are to be dropped, again and again.
  FileMemory memory(folder(), kMiB);
  std::vector<void*> blocks;
  for (std::uint64_t i = 0; i < 8; ++i) {
    blocks.push_back(memory.allocate(4 * kMiB));
    ASSERT_NE(blocks.back(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back()) % 64, 0u);
    EXPECT_TRUE(memory.contains(blocks.back()));
    fill(blocks.back(), 4 * kMiB, i);
  }
  EXPECT_TRUE(become_resident_at_most(blocks, 4 * kMiB, 8 * kMiB));
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_TRUE(holds(blocks[i], 4 * kMiB, i)) << i;
  EXPECT_GE(memory.allocated(), 32 * kMiB);
  for (void* block : blocks) memory.release(block);
  EXPECT_EQ(memory.allocated(), 0u);
}

TEST(FileMemory, UsesAReleasedBlockAgain) {
  FileMemory memory(folder(), std::size_t{1} << 40);
  void* first = memory.allocate(100'000);
  void* second = memory.allocate(100'000);
  EXPECT_NE(first, second);
  memory.release(first);
  EXPECT_EQ(memory.allocate(99'000), first) << "of the same class of sizes";
  EXPECT_NE(memory.allocate(300'000), first);
  EXPECT_FALSE(memory.contains(&memory));
  EXPECT_FALSE(memory.contains(nullptr));
}

TEST(FileMemory, ThreadsMayAllocateAtTheSameTime) {
  FileMemory memory(folder(), kMiB);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      for (std::uint64_t i = 0; i < 50; ++i) {
        const std::size_t bytes = (1 + i % 3) * 80'000;
        void* block = memory.allocate(bytes);
        if (block == nullptr) {
          ++wrong;
          continue;
        }
        fill(block, bytes, seed + i);
        if (!holds(block, bytes, seed + i)) ++wrong;
        memory.release(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(memory.allocated(), 0u);
}

TEST(FileMemory, SaysWhenThereIsNoRoom) {
  EXPECT_THROW(FileMemory("/nowhere/at/all", kMiB), Error);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{kMiB, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  FileMemory memory(folder(), kMiB);
  EXPECT_NE(memory.allocate(kMiB / 2), nullptr);
  EXPECT_EQ(memory.allocate(kMiB), nullptr);
  ::setrlimit(RLIMIT_FSIZE, &before);
}

/// Bytes of address space that this process has.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

TEST(FileMemory, MakesDoWithLessAddressSpace) {
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  const rlimit enough{address_space() + 100'000 * kMiB, before.rlim_max};
  ::setrlimit(RLIMIT_AS, &enough);
  {
    FileMemory memory(folder(), kMiB);
    void* block = memory.allocate(kMiB);
    EXPECT_TRUE(memory.contains(block));
  }
  const rlimit too_little{address_space() + 1'000 * kMiB, before.rlim_max};
  ::setrlimit(RLIMIT_AS, &too_little);
  EXPECT_THROW(FileMemory(folder(), kMiB), Error);
  ::setrlimit(RLIMIT_AS, &before);
}

}  // namespace
}  // namespace plait
