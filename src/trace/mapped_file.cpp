// SPDX-License-Identifier: BSD-3-Clause
// Maps a whole file read-only.
#include "trace/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "plait/error.hpp"

namespace plait::trace {

MappedFile::MappedFile(const std::filesystem::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) {
    throw Error(file.string(), fmt::format("cannot be read ({})", std::strerror(errno)), "");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(file.string(), "not a regular file", "");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    return;
  }
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.get(), 0);
  if (mapped == MAP_FAILED) {
    throw Error(file.string(), fmt::format("cannot be mapped ({})", std::strerror(errno)), "");
  }
  bytes_ = {static_cast<const std::byte*>(mapped), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
}

}  // namespace plait::trace
