// SPDX-License-Identifier: BSD-3-Clause
// Writes output files of exports.
#include "export/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/failure.hpp"
#include "base/part_file.hpp"
#include "plait/error.hpp"

namespace plait::exports {

namespace fs = std::filesystem;

namespace {

constexpr int kLost = 1;      // error while writing
constexpr int kBadInput = 2;  // the path cannot be written to

}  // namespace

void require_free(const fs::path& path, bool replace) {
  std::error_code none;
  if (!replace && fs::exists(path, none)) {
    throw Error(path.string(), "already exists",
                "replace it with --force, or choose another path with -o");
  }
}

void require_folder(const fs::path& folder, bool replace) {
  std::error_code none;
  if (fs::exists(folder, none) && !fs::is_directory(folder, none)) {
    throw Error(folder.string(), "not a directory", "choose another path with -o");
  }
  if (fs::exists(folder, none) && !fs::is_empty(folder, none)) {
    require_free(folder, replace);
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(folder.string(), "cannot be created (" + error.message() + ")",
                "choose another path with -o");
  }
}

OutputFile::OutputFile(fs::path path, bool replace, const Processes* processes)
    : path_(std::move(path)), is_here_(processes == nullptr || processes->rank() == 0) {
  if (!is_here_) return;
  require_free(path_, replace);
  std::error_code none;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), none);
  const PartFile part = create_part_file(path_);
  if (part.fd < 0) fail(kBadInput);
  ::close(part.fd);
  part_ = part.path;
  out_.open(part_, std::ios::binary | std::ios::in | std::ios::out);  // creates nothing
  if (!out_) fail(kBadInput);
}

OutputFile::~OutputFile() {
  if (closed_ || !is_here_) return;
  out_.close();
  std::error_code none;
  fs::remove(part_, none);
}

void OutputFile::full() {
  if (!is_here_) {
    buffer_.clear();
    return;
  }
  if (!out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()))) fail(kLost);
  flushed_ += buffer_.size();
  buffer_.clear();
}

std::uint64_t OutputFile::close() {
  full();
  if (!is_here_) return 0;
  out_.close();
  if (!out_) fail(kLost);
  std::error_code error;
  fs::rename(part_, path_, error);
  if (error) {
    throw Failure(path_.string(), "cannot be written (" + error.message() + ")",
                  "choose another path with -o");
  }
  closed_ = true;
  return flushed_;
}

void OutputFile::fail(int exit_code) const {
  throw Failure(path_.string(), std::string("cannot be written (") + std::strerror(errno) + ")",
                "free disk space, or choose another path with -o", exit_code);
}

}  // namespace plait::exports
