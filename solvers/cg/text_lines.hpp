// SPDX-License-Identifier: BSD-3-Clause
// Reads a text file, or a part of it, line by line.
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plait/error.hpp"

namespace plait::cg {

/// Something wrong in a line, whose number counts from the first line that was read.
class LineError : public std::runtime_error {
public:
  LineError(std::int64_t line, const std::string& reason, std::string remedy)
      : std::runtime_error(reason), line_(line), remedy_(std::move(remedy)) {}

  [[nodiscard]] std::int64_t line() const { return line_; }
  /// The error of a reader that began after `lines_before` lines of the file.
  [[nodiscard]] Error in(const std::string& path, std::int64_t lines_before = 0) const;

private:
  std::int64_t line_;
  std::string remedy_;
};

/// The lines of a file, without comments and empty lines. Keeps one line in memory.
class TextLines {
public:
  static constexpr std::int64_t kToEnd = std::numeric_limits<std::int64_t>::max();
  static constexpr const char* kDamaged = "write the file again";

  /// The lines that begin at the bytes from `begin` to `end` - 1.
  /// @throws Error if the file cannot be opened
  explicit TextLines(std::string path, std::int64_t begin = 0, std::int64_t end = kToEnd);

  /// The next line, without blanks at both ends. False at the end.
  /// @throws Error if the file cannot be read, LineError if the line is longer than 1 MiB
  bool next();

  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::int64_t lines() const { return number_; }   ///< read so far, all
  [[nodiscard]] std::int64_t offset() const { return offset_; }  ///< of the line after this one

  /// The number at the start of the line, which is then removed from it.
  /// @throws LineError that says "expected WHAT", or that it is out of range
  template <class Number>
  Number number(const char* what, Number least, Number most) {
    const auto value = parse<Number>(what);
    if (value >= least && value <= most) return value;
    throw wrong(
        std::string(what) + " is not from " + std::to_string(least) + " to " + std::to_string(most),
        kDamaged);
  }
  double finite_number(const char* what);
  /// @throws LineError if more is on the line
  void end_of_line() const;

  [[nodiscard]] LineError wrong(const std::string& reason, const std::string& remedy) const {
    return {number_, reason, remedy};
  }

private:
  template <class Number>
  Number parse(const char* what);
  void skip_blanks();
  [[nodiscard]] Error unreadable() const;

  std::string path_;
  std::ifstream file_;
  std::vector<char> buffer_;
  std::string_view line_;
  std::int64_t begin_, end_, offset_;
  std::int64_t number_ = 0;
};

}  // namespace plait::cg
