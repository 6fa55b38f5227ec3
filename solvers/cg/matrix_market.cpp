// SPDX-License-Identifier: BSD-3-Clause
// Parses Matrix Market files (Boisvert, Pozo and Remington 1996), and checks what conjugate
// gradients need.
#include "matrix_market.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string_view>

#include "plait/error.hpp"

namespace plait::cg {
namespace {

constexpr const char* kFormat = "see https://math.nist.gov/MatrixMarket/formats.html";
constexpr const char* kDamaged = "write the file again";

std::string text_in(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad() || (text.empty() && errno != 0)) {
    throw Error(path, errno != 0 ? std::strerror(errno) : "cannot be read",
                "give a Matrix Market file");
  }
  return text;
}

/// The lines of a file, without comments and empty lines.
class Lines {
public:
  explicit Lines(const std::string& path) : path_(path), text_(text_in(path)), rest_(text_) {}

  /// The next line. False at the end of the file.
  bool next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      skip_blanks();
      if (!line_.empty() && (line_.front() != '%' || number_ == 1)) return true;
    }
    return false;
  }

  template <class Number>
  Number number(const char* what, Number least, Number most) {
    const auto value = parse<Number>(what);
    if (value >= least && value <= most) return value;
    throw wrong(
        std::string(what) + " is not from " + std::to_string(least) + " to " + std::to_string(most),
        kDamaged);
  }

  double finite_number(const char* what) {
    const auto value = parse<double>(what);
    if (std::isfinite(value)) return value;
    throw wrong(std::string(what) + " is not a finite number", kDamaged);
  }

  void end_of_line() const {
    if (!line_.empty()) throw wrong("more on the line than expected", kDamaged);
  }

  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t bytes() const { return text_.size(); }
  [[nodiscard]] Error wrong(const std::string& reason, const std::string& remedy) const {
    return {path_ + ":" + std::to_string(number_), reason, remedy};
  }

private:
  /// The number at the start of the line, which is then removed from it.
  template <class Number>
  Number parse(const char* what) {
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

  void skip_blanks() {
    const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!line_.empty() && is_blank(line_.front())) line_.remove_prefix(1);
    while (!line_.empty() && is_blank(line_.back())) line_.remove_suffix(1);
  }

  std::string path_, text_;
  std::string_view rest_, line_;
  std::int64_t number_ = 0;
};

/// The five parts of the first line in lower case: banner, object, format, field, symmetry.
std::array<std::string, 5> banner(const Lines& lines) {
  std::string lower(lines.line().substr(0, 200));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream text(lower);
  std::array<std::string, 5> parts;
  for (std::string& part : parts) text >> part;
  return parts;
}

struct MatrixEntry {
  int row, column;
  double value;
};

/// The head of a coordinate file.
struct Head {
  int size = 0;
  std::int64_t entries = 0;
  bool symmetric = false;
  bool pattern = false;
};

Head read_head(Lines& lines) {
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
  Head head;
  head.symmetric = symmetry == "symmetric";
  head.pattern = field == "pattern";
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
  // Before memory is taken for a number that a damaged file has.
  constexpr std::int64_t kLeastBytes = 4;
  if (head.entries * kLeastBytes > static_cast<std::int64_t>(lines.bytes()) + 1) {
    throw lines.wrong("the file is too short for " + std::to_string(head.entries) + " entries",
                      kDamaged);
  }
  return head;
}

std::vector<MatrixEntry> read_entries(Lines& lines, const Head& head) {
  std::vector<MatrixEntry> entries;
  entries.reserve(static_cast<std::size_t>(head.entries));
  while (lines.next()) {
    if (static_cast<std::int64_t>(entries.size()) == head.entries) {
      throw lines.wrong("more than " + std::to_string(head.entries) + " entries", kDamaged);
    }
    const int row = lines.number<int>("a row", 1, head.size) - 1;
    const int column = lines.number<int>("a column", 1, head.size) - 1;
    const double value = head.pattern ? 1 : lines.finite_number("the value");
    lines.end_of_line();
    if (head.symmetric && column > row) {
      throw lines.wrong("an entry above the diagonal of a symmetric matrix",
                        "give the lower triangle");
    }
    entries.push_back({row, column, value});
  }
  if (static_cast<std::int64_t>(entries.size()) < head.entries) {
    throw lines.wrong("the file ends after " + std::to_string(entries.size()) + " of " +
                          std::to_string(head.entries) + " entries",
                      kDamaged);
  }
  return entries;
}

/// Entries by row and column, with both of each pair.
SymmetricMatrix by_rows(const std::vector<MatrixEntry>& entries, const Head& head) {
  SymmetricMatrix matrix;
  const auto size = static_cast<std::size_t>(head.size);
  matrix.starts.assign(size + 1, 0);
  const auto each = [&](const auto& use) {
    for (const MatrixEntry& entry : entries) {
      use(entry.row, entry.column, entry.value);
      if (head.symmetric && entry.row != entry.column) use(entry.column, entry.row, entry.value);
    }
  };
  each([&](int row, int, double) { ++matrix.starts[static_cast<std::size_t>(row) + 1]; });
  for (std::size_t row = 0; row < size; ++row) matrix.starts[row + 1] += matrix.starts[row];
  std::vector<std::pair<int, double>> all(static_cast<std::size_t>(matrix.starts.back()));
  std::vector<std::int64_t> next(matrix.starts.begin(), matrix.starts.end() - 1);
  each([&](int row, int column, double value) {
    all[static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++)] = {column, value};
  });
  matrix.columns.resize(all.size());
  matrix.values.resize(all.size());
  for (std::size_t row = 0; row < size; ++row) {
    const auto begin = all.begin() + matrix.starts[row], end = all.begin() + matrix.starts[row + 1];
    std::sort(begin, end, [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto entry = begin; entry != end; ++entry) {
      const auto place = static_cast<std::size_t>(entry - all.begin());
      matrix.columns[place] = entry->first;
      matrix.values[place] = entry->second;
    }
  }
  return matrix;
}

/// The value at a place; 0 if there is no entry.
double value_at(const SymmetricMatrix& matrix, int row, int column) {
  const auto begin = matrix.columns.begin() + matrix.starts[static_cast<std::size_t>(row)];
  const auto end = matrix.columns.begin() + matrix.starts[static_cast<std::size_t>(row) + 1];
  const auto found = std::lower_bound(begin, end, column);
  if (found == end || *found != column) return 0;
  return matrix.values[static_cast<std::size_t>(found - matrix.columns.begin())];
}

/// What the matrix of a system for conjugate gradients must be, as far as it can be seen at once.
void check_matrix(const std::string& path, const SymmetricMatrix& matrix, bool check_symmetry) {
  constexpr double kRounding = 1e-12;
  for (int row = 0; row < matrix.size(); ++row) {
    const std::string place = "row " + std::to_string(row + 1);
    const auto first = static_cast<std::size_t>(matrix.starts[static_cast<std::size_t>(row)]);
    const auto end = static_cast<std::size_t>(matrix.starts[static_cast<std::size_t>(row) + 1]);
    for (std::size_t k = first; k < end; ++k) {
      const int column = matrix.columns[k];
      const std::string both = place + ", column " + std::to_string(column + 1);
      if (k > first && column == matrix.columns[k - 1]) {
        throw Error(path, both + " is there twice", kDamaged);
      }
      if (!check_symmetry) continue;
      const double value = matrix.values[k], other = value_at(matrix, column, row);
      if (std::abs(value - other) > kRounding * std::max(std::abs(value), std::abs(other))) {
        throw Error(path, "not symmetric: " + both, "give a symmetric matrix");
      }
    }
    if (value_at(matrix, row, row) <= 0) {
      throw Error(path, "not positive definite: the diagonal of " + place + " is not positive",
                  "give a positive definite matrix");
    }
  }
}

}  // namespace

SymmetricMatrix read_matrix_market(const std::string& path) {
  Lines lines(path);
  const Head head = read_head(lines);
  SymmetricMatrix matrix = by_rows(read_entries(lines, head), head);
  check_matrix(path, matrix, !head.symmetric);
  return matrix;
}

std::vector<double> read_vector(const std::string& path, int size) {
  Lines lines(path);
  std::vector<double> numbers;
  if (!lines.next()) throw lines.wrong("the file is empty", "give one number per line");
  const auto [mark, object, format, field, symmetry] = banner(lines);
  bool more = true;
  if (mark == "%%matrixmarket") {
    if (format != "array" || field == "complex" || field == "pattern") {
      throw lines.wrong("not an array of real numbers", kFormat);
    }
    if (!lines.next()) throw lines.wrong("the file ends before the size", kDamaged);
    lines.number<int>("the number of rows", size, size);
    lines.number<int>("the number of columns", 1, 1);
    lines.end_of_line();
    more = lines.next();
  }
  for (; more; more = lines.next()) {
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

}  // namespace plait::cg
