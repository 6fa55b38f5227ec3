// SPDX-License-Identifier: BSD-3-Clause
// Finds the lines of a part of a file, and parses numbers.
#include "text_lines.hpp"

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace plait::cg {

Error LineError::in(const std::string& path, std::int64_t lines_before) const {
  return {path + ":" + std::to_string(lines_before + line_), what(), remedy_};
}

TextLines::TextLines(std::string path, std::int64_t begin, std::int64_t end)
    : path_(std::move(path)), begin_(begin), end_(end), offset_(begin) {
  constexpr std::size_t kLongest = std::size_t{1} << 20;
  errno = 0;
  file_.open(path_, std::ios::binary);
  if (!file_) throw unreadable();
  buffer_.resize(kLongest);
  if (begin == 0) return;
  // A line that begins before belongs to the part before.
  file_.seekg(begin - 1);
  file_.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  if (file_.bad()) throw unreadable();
  offset_ = begin - 1 + file_.gcount();
}

Error TextLines::unreadable() const {
  return {path_, errno != 0 ? std::strerror(errno) : "cannot be read",
          "check the path and its permissions"};
}

bool TextLines::next() {
  while (offset_ < end_ && file_.good()) {
    file_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    const std::streamsize got = file_.gcount();
    if (file_.bad()) throw unreadable();
    if (got == 0) break;
    ++number_;
    if (file_.fail() && !file_.eof()) throw wrong("a line longer than 1 MiB", kDamaged);
    offset_ += got;
    // The end of the line counts, but not that of the file.
    line_ = {buffer_.data(), static_cast<std::size_t>(file_.eof() ? got : got - 1)};
    skip_blanks();
    const bool is_first = begin_ == 0 && number_ == 1;
    if (!line_.empty() && (line_.front() != '%' || is_first)) return true;
  }
  line_ = {};
  return false;
}

double TextLines::finite_number(const char* what) {
  const auto value = parse<double>(what);
  if (std::isfinite(value)) return value;
  throw wrong(std::string(what) + " is not a finite number", kDamaged);
}

void TextLines::end_of_line() const {
  if (!line_.empty()) throw wrong("more on the line than expected", kDamaged);
}

template <class Number>
Number TextLines::parse(const char* what) {
  Number value{};
  const char* end = line_.data() + line_.size();
  // A plus sign is not for from_chars().
  const char* begin = line_.data() + (!line_.empty() && line_.front() == '+' ? 1 : 0);
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} ||
      (stop != end && std::isspace(static_cast<unsigned char>(*stop)) == 0)) {
    throw wrong(std::string("expected ") + what, kDamaged);
  }
  line_.remove_prefix(static_cast<std::size_t>(stop - line_.data()));
  skip_blanks();
  return value;
}

template int TextLines::parse(const char*);
template std::int64_t TextLines::parse(const char*);

void TextLines::skip_blanks() {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!line_.empty() && is_blank(line_.front())) line_.remove_prefix(1);
  while (!line_.empty() && is_blank(line_.back())) line_.remove_suffix(1);
}

}  // namespace plait::cg
