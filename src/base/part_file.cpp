// SPDX-License-Identifier: BSD-3-Clause
// Creates a file that is being written beside its place.
#include "base/part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

namespace plait {

PartFile create_part_file(const std::filesystem::path& path) {
  constexpr int kMostLeftovers = 100;  // of processes that were killed, or made by others
  PartFile part;
  for (int number = 0; part.fd < 0; ++number) {
    part.path = fmt::format("{}.part-{}-{}", path.string(), ::getpid(), number);
    part.fd = ::open(part.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (part.fd < 0 && (errno != EEXIST || number == kMostLeftovers)) break;
  }
  return part;
}

}  // namespace plait
