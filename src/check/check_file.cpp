// SPDX-License-Identifier: BSD-3-Clause
// Bounds-checked access to a mapped check file.
#include "check/check_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/descriptor.hpp"
#include "plait/error.hpp"

namespace plait::check {

namespace {

Descriptor open_file(const std::filesystem::path& file) {
  return Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
}

std::size_t size_of(const Descriptor& file) {
  struct stat status {};
  return file.get() >= 0 && ::fstat(file.get(), &status) == 0
             ? static_cast<std::size_t>(status.st_size)
             : 0;
}

bool is_block_size(std::uint64_t bytes) {
  return bytes >= PLAIT_CHECK_BLOCK_BYTES && (bytes & (bytes - 1)) == 0;
}

}  // namespace

CheckFile::CheckFile(std::filesystem::path file) : path_(std::move(file)) {
  const Descriptor descriptor = open_file(path_);
  if (descriptor.get() < 0)
    throw Error(path_.string(), fmt::format("cannot be read ({})", std::strerror(errno)), "");
  size_ = size_of(descriptor);
  void* mapped = MAP_FAILED;
  if (size_ >= sizeof(plait_check_header)) {
    mapped =
        ::mmap(nullptr, sizeof(plait_check_header), PROT_READ, MAP_SHARED, descriptor.get(), 0);
  }
  if (mapped == MAP_FAILED) throw Error(path_.string(), "not a check file of Plait", "");
  header_ = static_cast<const plait_check_header*>(mapped);
  const std::uint64_t magic = header_->magic;
  const std::uint32_t version = header_->version;
  const bool fits = magic == PLAIT_CHECK_MAGIC && version == PLAIT_CHECK_VERSION;
  if (fits && is_block_size(header_->block_bytes)) return;
  ::munmap(mapped, sizeof(plait_check_header));
  if (fits || magic != PLAIT_CHECK_MAGIC)
    throw Error(path_.string(), "not a check file of Plait", "");
  throw Error(
      path_.string(),
      fmt::format("has version {}, but this Plait reads version {}", version, PLAIT_CHECK_VERSION),
      "use the version of Plait that ran the program");
}

CheckFile::~CheckFile() {
  outgrown_.insert(outgrown_.end(), sections_.begin(), sections_.end());
  for (const Mapped& mapped : outgrown_) unmap(mapped);
  ::munmap(const_cast<plait_check_header*>(header_), sizeof(plait_check_header));
}

void CheckFile::unmap(const Mapped& mapped) {
  if (mapped.begin != nullptr) ::munmap(mapped.begin, mapped.bytes);
}

CheckFile::Mapped CheckFile::map(plait_check_section which) const {
  const Descriptor descriptor = open_file(path_);
  const std::size_t block = header_->block_bytes;
  const std::size_t in_file =
      (std::max(size_of(descriptor), sizeof(plait_check_header)) - sizeof(plait_check_header)) /
      block;
  const std::size_t blocks = std::min<std::size_t>(
      {__atomic_load_n(&header_->blocks, __ATOMIC_ACQUIRE), PLAIT_CHECK_BLOCKS, in_file});
  const std::uint8_t* const owners = header_->owners;
  const auto own = static_cast<std::size_t>(
      std::count(owners, owners + blocks, static_cast<std::uint8_t>(which)));
  if (own == 0) return {};
  void* room =
      ::mmap(nullptr, own * block, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return {};
  auto* const begin = static_cast<std::byte*>(room);
  std::size_t done = 0;
  for (std::size_t i = 0; i < blocks;) {
    std::size_t after = i;
    while (after < blocks && owners[after] == which) ++after;
    if (after > i) {
      void* part =
          ::mmap(begin + done * block, (after - i) * block, PROT_READ, MAP_SHARED | MAP_FIXED,
                 descriptor.get(), static_cast<off_t>(sizeof(plait_check_header) + i * block));
      if (part == MAP_FAILED) break;
      done += after - i;
    }
    i = after + 1;
  }
  return {begin, own * block, done * block};
}

std::size_t CheckFile::count_of(plait_check_section which, std::size_t bytes) const {
  const plait_check_section_header& at = header().sections[which];
  const std::uint64_t count = __atomic_load_n(&at.count, __ATOMIC_ACQUIRE);
  if (at.entry_bytes != bytes) return 0;
  Mapped& mapped = sections_[which];
  if (count > mapped.readable / bytes) {
    const Mapped larger = map(which);
    if (larger.readable > mapped.readable) {
      outgrown_.push_back(mapped);
      mapped = larger;
    } else {
      unmap(larger);  // a damaged count: the file does not have that many entries
    }
  }
  return std::min<std::uint64_t>(count, mapped.readable / bytes);
}

}  // namespace plait::check
