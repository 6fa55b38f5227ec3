// SPDX-License-Identifier: BSD-3-Clause
#include "base/file_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "plait/error.hpp"

namespace plait {
namespace {

/// Larger ones of some kernels are multiples of it.
constexpr std::size_t kSmallestPage = 4096;

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

/// Bytes of address space: the aim, and the least with which a file is of use.
constexpr std::size_t kMostAddresses = std::size_t{1} << 40;
constexpr std::size_t kLeastAddresses = std::size_t{1} << 35;
constexpr auto kPeriod = std::chrono::milliseconds(1);

/// Bytes of the entries for so much address space.
constexpr std::size_t entry_bytes(std::size_t addresses) {
  return addresses / (4 * kSmallestPage) * 8;
}

/// All sizes of blocks are multiples of it.
std::size_t unit() {
  return std::max(4 * kSmallestPage, page_size());
}

/// Sizes of blocks: four in each power of two, from four units.
std::size_t class_size(std::size_t kind) {
  return ((4 + kind % 4) << (kind / 4)) * unit();
}

std::size_t class_of(std::size_t bytes) {
  std::size_t kind = 0;
  while (class_size(kind) < bytes) ++kind;
  return kind;
}

/// An open file without a name.
int open_unnamed(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  std::string name = folder / "plait-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

/// Addresses for `bytes`; zeros, if they are accessible. nullptr if the process cannot have them.
std::byte* reserve(std::size_t bytes, int access) {
  void* base = ::mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? nullptr : static_cast<std::byte*>(base);
}

/// How far below its budget all pages are dropped: memory may grow by that until a thread runs.
std::size_t margin_of(std::size_t resident) {
  return std::min(resident / 8, std::size_t{256} << 20);
}

/// Resident memory of this process, bytes.
std::size_t resident_now(int statm) {
  char text[128];
  const ssize_t length = ::pread(statm, text, sizeof text - 1, 0);
  if (length <= 0) return 0;
  text[length] = '\0';
  const char* second = std::strchr(text, ' ');
  return second == nullptr ? 0 : std::strtoull(second, nullptr, 10) * page_size();
}

}  // namespace

FileMemory::FileMemory(const std::filesystem::path& folder, std::size_t resident)
    : file_(open_unnamed(folder)), enough_(resident - margin_of(resident)) {
  if (file_.get() < 0) {
    throw Error(folder.string(), std::string("no temporary file: ") + std::strerror(errno),
                "set TMPDIR to a folder on a disk with free space");
  }
  static_assert(sizeof(Entry) <= 8);
  // A limit of the process or a sanitizer may leave less.
  for (addresses_ = kMostAddresses; addresses_ >= kLeastAddresses; addresses_ /= 2) {
    base_ = reserve(addresses_, PROT_NONE);
    if (base_ != nullptr) break;
  }
  if (base_ != nullptr) {
    entries_ = reinterpret_cast<Entry*>(reserve(entry_bytes(addresses_), PROT_READ | PROT_WRITE));
  }
  if (entries_ == nullptr) {
    const int reason = errno;
    if (base_ != nullptr) ::munmap(base_, addresses_);
    throw Error("address space", std::strerror(reason), "raise the limit (ulimit -v unlimited)");
  }
  // A larger file would end the process with a signal.
  rlimit largest{};
  ::getrlimit(RLIMIT_FSIZE, &largest);
  most_ = std::min<std::size_t>(addresses_, largest.rlim_cur);
  watcher_ = std::thread([this] { watch(); });
}

FileMemory::~FileMemory() {
  {
    const std::scoped_lock lock(stop_mutex_);
    stop_ = true;
  }
  stop_changed_.notify_one();
  watcher_.join();
  ::munmap(base_, addresses_);
  ::munmap(entries_, entry_bytes(addresses_));
}

std::uint32_t FileMemory::number_of(const void* block) const noexcept {
  const auto* at = static_cast<const std::byte*>(block);
  return static_cast<std::uint32_t>(static_cast<std::size_t>(at - base_) / unit());
}

void* FileMemory::allocate(std::size_t bytes) noexcept {
  if (bytes > addresses_ / 2) return nullptr;
  const std::size_t kind = class_of(bytes);
  const std::scoped_lock lock(mutex_);
  std::byte* block = nullptr;
  if (free_[kind] != 0) {
    const std::uint32_t number = free_[kind] - 1;
    free_[kind] = entries_[number].next;
    block = base_ + std::size_t{number} * unit();
  } else {
    block = extend(class_size(kind));
    if (block == nullptr) return nullptr;
    entries_[number_of(block)].kind = static_cast<std::uint8_t>(kind);
  }
  allocated_ += class_size(kind);
  return block;
}

/// A new block at the end of the file; nullptr when the disk or the address space is full.
std::byte* FileMemory::extend(std::size_t size) noexcept {
  const std::size_t begin = end_;
  const auto offset = static_cast<off_t>(begin);
  if (size > most_ - std::min(begin, most_) ||
      ::posix_fallocate(file_.get(), offset, static_cast<off_t>(size)) != 0) {
    return nullptr;
  }
  void* block = ::mmap(base_ + begin, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                       file_.get(), offset);
  if (block == MAP_FAILED) return nullptr;
  end_ = begin + size;
  return static_cast<std::byte*>(block);
}

void FileMemory::release(void* block) noexcept {
  const std::uint32_t number = number_of(block);
  const std::scoped_lock lock(mutex_);
  Entry& entry = entries_[number];
  entry.next = free_[entry.kind];
  free_[entry.kind] = number + 1;
  allocated_ -= class_size(entry.kind);
}

bool FileMemory::contains(const void* address) const noexcept {
  const auto* at = static_cast<const std::byte*>(address);
  return std::less_equal()(base_, at) && std::less()(at, base_ + addresses_);
}

void FileMemory::watch() {
  const Descriptor statm(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  std::unique_lock lock(stop_mutex_);
  while (!stop_changed_.wait_for(lock, kPeriod, [this] { return stop_; })) {
    lock.unlock();
    if (resident_now(statm.get()) > enough_) drop_all();
    lock.lock();
  }
}

/// Maps the blocks again, which drops their pages. Other threads that need some of them wait until
/// it is done. With madvise(MADV_DONTNEED) they would not, and some threads that read much bring
/// pages back faster than one can drop them.
void FileMemory::drop_all() noexcept {
  const std::size_t bytes = end_;
  if (bytes == 0) return;
  // Not mmap(), which the thread sanitizer takes for a write to the blocks.
  if (::syscall(SYS_mmap, base_, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_.get(),
                off_t{0}) != -1)
    return;
  // The kernel had no memory for that. It may have removed the blocks before it found out.
  if (::madvise(base_, bytes, MADV_DONTNEED) == 0) return;
  std::fputs("plait: not enough memory to map the temporary file; raise --memory-limit\n", stderr);
  std::_Exit(1);
}

}  // namespace plait
