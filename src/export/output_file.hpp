// SPDX-License-Identifier: BSD-3-Clause
// Output files of exports: written in large pieces, and renamed when they are complete.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "base/processes.hpp"

namespace plait::exports {

/// @throws Error when the path exists and `replace` is false.
void require_free(const std::filesystem::path& path, bool replace);

/// Creates a folder for the output. It may exist if it is empty or `replace` is true.
/// @throws Error when it contains files and `replace` is false, or cannot be created.
void require_folder(const std::filesystem::path& folder, bool replace);

/// Text or bytes, each behind the one before it.
class Sink {
public:
  virtual ~Sink() = default;

  /// Appends formatted text.
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kPiece) full();
  }
  /// Appends bytes.
  void put(std::string_view bytes) {
    buffer_.append(bytes.data(), bytes.data() + bytes.size());
    if (buffer_.size() >= kPiece) full();
  }

protected:
  Sink() = default;
  Sink(Sink&&) = default;
  Sink& operator=(Sink&&) = default;

  /// The buffer has a size that is worth a write.
  virtual void full() = 0;

  fmt::memory_buffer buffer_;

private:
  static constexpr std::size_t kPiece = 1 << 20;
};

/// A part of a file that is made before its turn comes (in_order.hpp).
class Piece final : public Sink {
public:
  [[nodiscard]] std::string_view bytes() const { return {buffer_.data(), buffer_.size()}; }
  void clear() { buffer_.clear(); }

private:
  void full() override {}
};

/// A file that gets its name when it is closed. Without close() it is deleted.
class OutputFile final : public Sink {
public:
  /// @param processes  that write the file together: process 0 has it, the others drop what they
  ///                   put. May be null
  /// @throws Error when the file exists and `replace` is false, or it cannot be written.
  OutputFile(std::filesystem::path path, bool replace, const Processes* processes = nullptr);
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// The number of bytes so far.
  [[nodiscard]] std::uint64_t size() const { return flushed_ + buffer_.size(); }

  /// Writes the remaining bytes and gives the file its name.
  /// @returns the size of the file in bytes; 0 where there is none
  /// @throws Error when it cannot be written (disk full).
  std::uint64_t close();

private:
  void full() override;
  [[noreturn]] void fail(int exit_code) const;

  std::filesystem::path path_, part_;
  std::ofstream out_;
  std::uint64_t flushed_ = 0;
  bool is_here_;
  bool closed_ = false;
};

}  // namespace plait::exports
