// SPDX-License-Identifier: BSD-3-Clause
// Maps a file, or a member of a container of records, read-only.
#include "trace/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "plait/error.hpp"
#include "trace/container.hpp"
#include "trace/crc.hpp"

namespace plait::trace {

MappedFile::MappedFile(const std::filesystem::path& file) {
  const bool member = file.parent_path().extension() == kContainerSuffix;
  const RecordPlace place = member ? find_record_file(file).value_or(RecordPlace{file, 0, 0, {}})
                                   : RecordPlace{file, 0, 0, {}};
  const Descriptor descriptor(::open(place.file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) {
    throw Error(file.string(), fmt::format("cannot be read ({})", std::strerror(errno)), "");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(file.string(), "not a regular file", "");
  }
  const auto size =
      place.crc ? static_cast<std::size_t>(place.bytes) : static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    return;
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  before_ = place.offset % page;  // where pages are larger than the alignment of members
  void* mapped = ::mmap(nullptr, size + before_, PROT_READ, MAP_SHARED, descriptor.get(),
                        static_cast<off_t>(place.offset - before_));
  if (mapped == MAP_FAILED) {
    throw Error(file.string(), fmt::format("cannot be mapped ({})", std::strerror(errno)), "");
  }
  bytes_ = {static_cast<const std::byte*>(mapped) + before_, size};
  // Chunks of events have checksums of their own: damage to one of them leaves the others.
  if (place.crc && file.extension() != ".evt" && crc32c(bytes_) != *place.crc) {
    unmap();
    throw Error(file.string(), "damaged: it has another checksum than its container says",
                "run the program again under plait run");
  }
}

MappedFile::~MappedFile() {
  unmap();
}

void MappedFile::unmap() {
  if (bytes_.empty()) return;
  ::munmap(const_cast<std::byte*>(bytes_.data()) - before_, bytes_.size() + before_);
}

}  // namespace plait::trace
