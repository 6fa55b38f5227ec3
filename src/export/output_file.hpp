// SPDX-License-Identifier: BSD-3-Clause
// Files that an export writes: in large pieces, under another name until they are whole.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

namespace plait::exports {

/// @throws Error when there is something and it may not be replaced.
void require_free(const std::filesystem::path& path, bool replace);

/// Makes a folder for files that an export writes there; it may be there, if empty or `replace`.
/// @throws Error when it holds files and may not be written to, or cannot be made.
void require_folder(const std::filesystem::path& folder, bool replace);

/// A file that gets its name when it is closed; until then, and when it never is, there is none.
class OutputFile {
public:
  /// @throws Error when the file is there and may not be replaced, or cannot be written.
  OutputFile(std::filesystem::path path, bool replace);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends text.
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kPiece) flush();
  }
  void put(std::string_view bytes) {
    buffer_.append(bytes.data(), bytes.data() + bytes.size());
    if (buffer_.size() >= kPiece) flush();
  }
  /// Bytes so far.
  [[nodiscard]] std::uint64_t size() const { return flushed_ + buffer_.size(); }

  /// Writes what is left and gives the file its name.
  /// @returns its size
  /// @throws Error when it cannot be written (disk full).
  std::uint64_t close();

private:
  static constexpr std::size_t kPiece = 1 << 20;

  void flush();
  [[noreturn]] void fail(int exit_code) const;

  std::filesystem::path path_, part_;
  std::ofstream out_;
  fmt::memory_buffer buffer_;
  std::uint64_t flushed_ = 0;
  bool closed_ = false;
};

}  // namespace plait::exports
