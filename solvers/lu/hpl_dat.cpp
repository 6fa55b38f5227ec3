// SPDX-License-Identifier: BSD-3-Clause
// Parses HPL.dat: one or more values at the start of each line, then a comment.
#include "hpl_dat.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "plait/error.hpp"

namespace plait::lu {
namespace {

constexpr int kMostValues = 20;        // as HPL
constexpr int kMostCharacters = 4096;  // of a line

class Lines {
public:
  explicit Lines(const std::string& path) : path_(path), file_(path) {
    if (!file_) throw Error(path, std::strerror(errno), "give a file in the format of HPL.dat");
  }

  void skip(int lines) {
    for (; lines > 0; --lines) next("a line");
  }

  /// The numbers at the start of the next line, between two bounds.
  template <class Number>
  std::vector<Number> numbers(const std::string& what, int count, Number least, Number most) {
    std::istringstream values(next(what));
    std::vector<Number> all;
    for (std::string value; count > 0; --count) {
      Number number{};
      if (!(values >> value) || !parse(value, number) || !(number >= least) || !(number <= most)) {
        std::ostringstream expected;
        expected << "expected " << what << " from " << least << " to " << most;
        throw Error(place(), expected.str(), "see an HPL.dat of HPL");
      }
      all.push_back(number);
    }
    return all;
  }

  int number(const std::string& what, int least, int most) {
    return numbers<int>(what, 1, least, most).front();
  }

  /// A line with a count, and one with that many numbers.
  std::vector<int> list(const std::string& what, int least, int most) {
    const int count = number("the number of " + what, 1, kMostValues);
    return numbers<int>(what, count, least, most);
  }

private:
  template <class Number>
  static bool parse(const std::string& value, Number& number) {
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    return error == std::errc{} && stop == end;
  }

  std::string next(const std::string& what) {
    std::string line;
    ++line_;
    if (!std::getline(file_, line)) {
      throw Error(place(), "the file ends before " + what, "see an HPL.dat of HPL");
    }
    if (line.size() > kMostCharacters) throw Error(place(), "too long", "shorten the line");
    return line;
  }
  [[nodiscard]] std::string place() const { return path_ + ":" + std::to_string(line_); }

  std::string path_;
  std::ifstream file_;
  int line_ = 0;
};

}  // namespace

HplInput read_hpl_dat(const std::string& path) {
  constexpr int most = 10'000'000;
  HplInput input;
  Lines lines(path);
  lines.skip(4);  // two titles, output file, device
  input.sizes = lines.list("problem sizes", 1, most);
  input.blocks = lines.list("block sizes", 1, most);
  input.column_major = lines.number("process mapping", 0, 1) == 1;
  const int grids = lines.number("the number of process grids", 1, kMostValues);
  const auto rows = lines.numbers<int>("process rows", grids, 1, most);
  const auto columns = lines.numbers<int>("process columns", grids, 1, most);
  for (std::size_t i = 0; i < rows.size(); ++i) input.grids.emplace_back(rows[i], columns[i]);
  // A negative threshold only times, in HPL; there is no residual below it.
  input.threshold =
      lines.numbers<double>("threshold", 1, 0.0, std::numeric_limits<double>::max()).front();
  lines.list("panel factorizations", 0, 2);
  lines.list("stopping criteria", 1, most);
  lines.list("panels in recursion", 1, most);
  lines.list("recursive panel factorizations", 0, 2);
  input.broadcasts = lines.list("broadcasts", 0, 5);
  input.depths = lines.list("look-ahead depths", 0, 1);
  input.swap = lines.number("swapping algorithm", 0, 2);
  input.swap_threshold = lines.number("swapping threshold", 0, most);
  lines.number("form of L1", 0, 1);
  lines.number("form of U", 0, 1);
  lines.number("equilibration", 0, 1);
  lines.number("memory alignment", 0, most);
  return input;
}

}  // namespace plait::lu
