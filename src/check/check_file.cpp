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

#include "plait/error.hpp"

namespace plait::check {

CheckFile::CheckFile(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  const bool there = descriptor >= 0 && ::fstat(descriptor, &status) == 0;
  const auto size = there ? static_cast<std::size_t>(status.st_size) : 0;
  void* mapped = MAP_FAILED;
  if (size >= sizeof(plait_check_header)) {
    mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  }
  const int why = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!there)
    throw Error(file.string(), fmt::format("cannot be read ({})", std::strerror(why)), "");
  if (mapped == MAP_FAILED) throw Error(file.string(), "not a check file of Plait", "");
  bytes_ = {static_cast<const std::byte*>(mapped), size};
  const std::uint64_t magic = header().magic;
  const std::uint32_t version = header().version;
  if (magic == PLAIT_CHECK_MAGIC && version == PLAIT_CHECK_VERSION) return;
  ::munmap(mapped, size);
  if (magic != PLAIT_CHECK_MAGIC) throw Error(file.string(), "not a check file of Plait", "");
  throw Error(
      file.string(),
      fmt::format("has version {}, but this Plait reads version {}", version, PLAIT_CHECK_VERSION),
      "use the version of Plait that ran the program");
}

CheckFile::~CheckFile() {
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

const std::byte* CheckFile::begin_of(plait_check_section which, std::size_t bytes) const {
  return count_of(which, bytes) == 0 ? nullptr : bytes_.data() + header().sections[which].offset;
}

std::size_t CheckFile::count_of(plait_check_section which, std::size_t bytes) const {
  const plait_check_section_header& at = header().sections[which];
  const std::uint64_t count = __atomic_load_n(&at.count, __ATOMIC_ACQUIRE);
  if (at.entry_bytes != bytes || at.offset > bytes_.size() || at.offset % 8 != 0) return 0;
  return std::min<std::uint64_t>(count, (bytes_.size() - at.offset) / bytes);
}

}  // namespace plait::check
