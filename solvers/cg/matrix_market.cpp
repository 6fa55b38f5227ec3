// SPDX-License-Identifier: BSD-3-Clause
// Parses Matrix Market files (Boisvert, Pozo and Remington 1996).
#include "matrix_market.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <limits>
#include <sstream>
#include <system_error>

namespace plait::cg {
namespace {

constexpr const char* kFormat = "see https://math.nist.gov/MatrixMarket/formats.html";
constexpr const char* kDamaged = TextLines::kDamaged;
/// Of a line with an entry: two numbers, a blank and the end of the line.
constexpr std::int64_t kLeastBytes = 4;

/// The five parts of the first line in lower case: banner, object, format, field, symmetry.
std::array<std::string, 5> banner(const TextLines& lines) {
  std::string lower(lines.line().substr(0, 200));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream text(lower);
  std::array<std::string, 5> parts;
  for (std::string& part : parts) text >> part;
  return parts;
}

void read_banner(TextLines& lines, MatrixHead& head) {
  if (!lines.next()) throw lines.wrong("the file is empty", kFormat);
  const auto [mark, object, format, field, symmetry] = banner(lines);
  if (mark != "%%matrixmarket" || object != "matrix") {
    throw lines.wrong("not a Matrix Market file", kFormat);
  }
  if (format != "coordinate") {
    throw lines.wrong("not a sparse matrix", "give one in coordinate format");
  }
  if (field != "real" && field != "integer" && field != "pattern" && field != "double") {
    throw lines.wrong("not a real matrix", "give one with real, integer or pattern entries");
  }
  if (symmetry != "symmetric" && symmetry != "general") {
    throw lines.wrong("not a symmetric matrix", "give a symmetric one");
  }
  head.symmetric = symmetry == "symmetric";
  head.pattern = field == "pattern";
}

void read_size(TextLines& lines, MatrixHead& head) {
  if (!lines.next()) throw lines.wrong("the file ends before the size", kDamaged);
  constexpr int most = std::numeric_limits<int>::max();
  head.size = lines.number<int>("the number of rows", 1, most);
  const int columns = lines.number<int>("the number of columns", 1, most);
  head.entries = lines.number<std::int64_t>("the number of entries", 0,
                                            std::numeric_limits<std::int64_t>::max() / 64);
  lines.end_of_line();
  if (columns != head.size) {
    throw lines.wrong(
        std::to_string(head.size) + " rows and " + std::to_string(columns) + " columns: not square",
        "give a square matrix");
  }
  if (head.entries < head.size) {
    throw lines.wrong("fewer entries than rows: not positive definite",
                      "give a positive definite matrix");
  }
  head.lines = lines.lines();
  head.first_byte = lines.offset();
}

/// Numbers in lines of their own, from the current line on.
std::vector<double> read_numbers(TextLines& lines, int size) {
  std::vector<double> numbers;
  for (bool more = !lines.line().empty(); more; more = lines.next()) {
    if (static_cast<int>(numbers.size()) == size) {
      throw lines.wrong("more than " + std::to_string(size) + " numbers", kDamaged);
    }
    numbers.push_back(lines.finite_number("a number"));
    lines.end_of_line();
  }
  if (static_cast<int>(numbers.size()) < size) {
    throw lines.wrong("the file ends after " + std::to_string(numbers.size()) + " of " +
                          std::to_string(size) + " numbers",
                      kDamaged);
  }
  return numbers;
}

}  // namespace

MatrixHead read_matrix_head(const std::string& path) {
  MatrixHead head;
  try {
    TextLines lines(path);
    std::error_code not_regular;
    const std::uintmax_t bytes = std::filesystem::file_size(path, not_regular);
    if (not_regular) throw Error(path, "not a regular file", "give a Matrix Market file");
    head.bytes = static_cast<std::int64_t>(bytes);
    read_banner(lines, head);
    read_size(lines, head);
    // Before memory is taken for a number that a damaged file has.
    if (head.entries * kLeastBytes > head.bytes + 1) {
      throw lines.wrong("the file is too short for " + std::to_string(head.entries) + " entries",
                        kDamaged);
    }
  } catch (const LineError& error) {
    throw error.in(path);
  }
  return head;
}

EntryPart read_entries(const std::string& path, const MatrixHead& head, int part, int parts) {
  const std::int64_t share = (head.bytes - head.first_byte) / parts;
  const std::int64_t begin = head.first_byte + part * share;
  TextLines lines(path, begin, part + 1 == parts ? TextLines::kToEnd : begin + share);
  EntryPart own;
  own.entries.reserve(static_cast<std::size_t>(
      std::min(head.entries / parts + 1, (head.bytes - begin) / kLeastBytes + 1)));
  while (lines.next()) {
    const int row = lines.number<int>("a row", 1, head.size) - 1;
    const int column = lines.number<int>("a column", 1, head.size) - 1;
    const double value = head.pattern ? 1 : lines.finite_number("the value");
    lines.end_of_line();
    if (head.symmetric && column > row) {
      throw lines.wrong("an entry above the diagonal of a symmetric matrix",
                        "give the lower triangle");
    }
    own.entries.push_back({row, column, value});
  }
  own.lines = lines.lines();
  return own;
}

void check_number_of_entries(const std::string& path, const MatrixHead& head,
                             std::int64_t entries) {
  const std::string all = std::to_string(head.entries);
  if (entries < head.entries) {
    throw Error(path, "the file ends after " + std::to_string(entries) + " of " + all + " entries",
                kDamaged);
  }
  if (entries > head.entries) throw Error(path, "more than " + all + " entries", kDamaged);
}

std::vector<double> read_vector(const std::string& path, int size) {
  try {
    TextLines lines(path);
    if (!lines.next()) throw lines.wrong("the file is empty", "give one number per line");
    const auto [mark, object, format, field, symmetry] = banner(lines);
    if (mark == "%%matrixmarket") {
      if (format != "array" || field == "complex" || field == "pattern") {
        throw lines.wrong("not an array of real numbers", kFormat);
      }
      if (!lines.next()) throw lines.wrong("the file ends before the size", kDamaged);
      lines.number<int>("the number of rows", size, size);
      lines.number<int>("the number of columns", 1, 1);
      lines.end_of_line();
      lines.next();
    }
    return read_numbers(lines, size);
  } catch (const LineError& error) {
    throw error.in(path);
  }
}

}  // namespace plait::cg
