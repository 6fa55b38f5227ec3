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

#include "plait/error.hpp"

namespace plait::check {

namespace {

/// An open file, closed at the end.
class Descriptor {
public:
  explicit Descriptor(const std::filesystem::path& file)
      : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] std::size_t bytes() const {
    struct stat status {};
    return number_ >= 0 && ::fstat(number_, &status) == 0 ? static_cast<std::size_t>(status.st_size)
                                                          : 0;
  }

private:
  int number_;
};

bool is_block_size(std::uint64_t bytes) {
  return bytes >= PLAIT_CHECK_BLOCK_BYTES && (bytes & (bytes - 1)) == 0;
}

}  // namespace

CheckFile::CheckFile(std::filesystem::path file) : path_(std::move(file)) {
  const Descriptor descriptor(path_);
  if (descriptor.number() < 0)
    throw Error(path_.string(), fmt::format("cannot be read ({})", std::strerror(errno)), "");
  void* mapped = MAP_FAILED;
  if (descriptor.bytes() >= sizeof(plait_check_header)) {
    mapped =
        ::mmap(nullptr, sizeof(plait_check_header), PROT_READ, MAP_SHARED, descriptor.number(), 0);
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
  for (const Mapped& mapped : outgrown_) {
    if (mapped.begin != nullptr) ::munmap(mapped.begin, mapped.bytes);
  }
  ::munmap(const_cast<plait_check_header*>(header_), sizeof(plait_check_header));
}

CheckFile::Mapped CheckFile::map(plait_check_section which) const {
  const Descriptor descriptor(path_);
  const std::size_t block = header_->block_bytes;
  const std::size_t in_file =
      (std::max(descriptor.bytes(), sizeof(plait_check_header)) - sizeof(plait_check_header)) /
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
                 descriptor.number(), static_cast<off_t>(sizeof(plait_check_header) + i * block));
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
    if (mapped.begin != nullptr) outgrown_.push_back(mapped);
    mapped = larger;
  }
  return std::min<std::uint64_t>(count, mapped.readable / bytes);
}

}  // namespace plait::check
