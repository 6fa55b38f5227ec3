// SPDX-License-Identifier: BSD-3-Clause
// A file that is being written beside its place, and gets its name when it is complete.
#pragma once

#include <filesystem>

namespace plait {

/// A new, empty file.
struct PartFile {
  std::filesystem::path path;
  int fd = -1;  ///< open for writing, closed by the caller; -1: see errno
};

/// Creates `path`.part-PID-N, which did not exist: in a folder that others may write to, no link or
/// file of theirs is opened.
PartFile create_part_file(const std::filesystem::path& path);

}  // namespace plait
