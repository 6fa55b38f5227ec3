// SPDX-License-Identifier: BSD-3-Clause
// Writes files of exports.
#include "export/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include "plait/error.hpp"

namespace plait::exports {

namespace fs = std::filesystem;

namespace {

constexpr int kLost = 1;      // something went wrong while writing
constexpr int kBadInput = 2;  // the name given cannot be written to

}  // namespace

void require_free(const fs::path& path, bool replace) {
  std::error_code none;
  if (!replace && fs::exists(path, none)) {
    throw Error(path.string(), "is there already", "--force replaces it, -o names another one");
  }
}

void require_folder(const fs::path& folder, bool replace) {
  std::error_code none;
  if (fs::exists(folder, none) && !fs::is_directory(folder, none)) {
    throw Error(folder.string(), "is no folder", "name another one by -o");
  }
  if (fs::exists(folder, none) && !fs::is_empty(folder, none)) {
    require_free(folder, replace);
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(folder.string(), "cannot be made (" + error.message() + ")",
                "name another folder by -o");
  }
}

OutputFile::OutputFile(fs::path path, bool replace)
    : path_(std::move(path)), part_(path_.string() + ".part") {
  require_free(path_, replace);
  std::error_code none;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), none);
  out_.open(part_, std::ios::binary | std::ios::trunc);
  if (!out_) fail(kBadInput);
}

OutputFile::~OutputFile() {
  if (closed_) return;
  out_.close();
  std::error_code none;
  fs::remove(part_, none);
}

void OutputFile::flush() {
  if (!out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()))) fail(kLost);
  flushed_ += buffer_.size();
  buffer_.clear();
}

std::uint64_t OutputFile::close() {
  flush();
  out_.close();
  if (!out_) fail(kLost);
  std::error_code error;
  fs::rename(part_, path_, error);
  if (error) {
    throw Error(path_.string(), "cannot be written (" + error.message() + ")",
                "name another file by -o", 1);
  }
  closed_ = true;
  return flushed_;
}

void OutputFile::fail(int exit_code) const {
  throw Error(path_.string(), std::string("cannot be written (") + std::strerror(errno) + ")",
              "free space, or name another file by -o", exit_code);
}

}  // namespace plait::exports
