// SPDX-License-Identifier: BSD-3-Clause
// Reads communication graphs from METIS graphs, Matrix Market and CSV matrices.
#include "mapping/communication_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_file.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::mapping {
namespace {

constexpr int most_processes = 10'000'000;

/// Reads a text file token by token. Errors name the line.
class Tokens {
public:
  Tokens(std::string name, std::string_view text, char comment)
      : name_(std::move(name)), text_(text), comment_(comment) {}

  /// Goes to the next line that is not a comment; false at the end. Empty lines count as lines.
  bool next_line() {
    do {
      if (at_ > text_.size() || (at_ == text_.size() && number_ > 0)) return false;
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      line_ = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
    } while (line_.starts_with(comment_));
    return true;
  }

  /// The next token of the line; empty at its end. Blanks and commas separate tokens.
  std::string_view next_token() {
    const std::size_t begin = std::min(line_.find_first_not_of(" \t\r,"), line_.size());
    const std::size_t end = std::min(line_.find_first_of(" \t\r,", begin), line_.size());
    const std::string_view token = line_.substr(begin, end - begin);
    line_.remove_prefix(end);
    return token;
  }

  bool at_end_of_line() { return line_.find_first_not_of(" \t\r,") == std::string_view::npos; }

  /// More processes than this file can describe would take memory out of proportion to it.
  [[nodiscard]] int most() const {
    return static_cast<int>(std::min<std::size_t>(most_processes, 65536 + text_.size()));
  }

  int next_int(const char* what, int least, int most) {
    const std::string_view token = next_token();
    int value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc{} || end != token.data() + token.size() || value < least ||
        value > most) {
      fail(fmt::format("\"{}\" is not a {}", token, what),
           fmt::format("give a number from {} to {}", least, most));
    }
    return value;
  }

  double next_weight() {
    const std::string_view token = next_token();
    double value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc{} || end != token.data() + token.size() || !(value >= 0) ||
        std::isinf(value)) {
      fail(fmt::format("\"{}\" is not a weight", token), "give bytes of 0 or more");
    }
    return value;
  }

  [[noreturn]] void fail(const std::string& reason, const std::string& remedy) const {
    throw Error(name_ + ":" + std::to_string(number_), reason, remedy);
  }

private:
  std::string name_;
  std::string_view text_;
  char comment_;
  std::string_view line_;
  std::size_t at_ = 0;
  int number_ = 0;
};

/// METIS manual, section 4.1.1: "n m [fmt [ncon]]", then a line per vertex: its size, its weights,
/// and pairs of neighbour and edge weight. The digits of fmt say which of them are present.
GraphFile read_metis(Tokens tokens) {
  if (!tokens.next_line())
    tokens.fail("the file is empty", "the first line must be: vertices edges");
  const int size = tokens.next_int("number of vertices", 1, tokens.most());
  tokens.next_int("number of edges", 0, std::numeric_limits<int>::max());
  const int format = tokens.at_end_of_line() ? 0 : tokens.next_int("format", 0, 111);
  const bool edge_weights = format % 10 != 0;
  const bool sizes = format / 100 % 10 != 0;
  int weights = format / 10 % 10 != 0 ? 1 : 0;
  if (weights > 0 && !tokens.at_end_of_line()) weights = tokens.next_int("number", 1, 1000);
  std::vector<Transfer> transfers;
  for (int from = 0; from < size; ++from) {
    if (!tokens.next_line()) {
      tokens.fail(
          "the file ends at vertex " + std::to_string(from + 1) + " of " + std::to_string(size),
          "give one line per vertex");
    }
    for (int skip = weights + (sizes ? 1 : 0); skip > 0; --skip) tokens.next_weight();
    while (!tokens.at_end_of_line()) {
      const int to = tokens.next_int("vertex", 1, size) - 1;
      transfers.push_back({from, to, edge_weights ? tokens.next_weight() : 1});
    }
  }
  return {graph_of(std::move(transfers), size), edge_weights};
}

/// Matrix Market exchange formats (NIST): banner, comments, sizes, entries.
GraphFile read_matrix_market(Tokens tokens, Tokens banner) {
  banner.next_line();
  banner.next_token();  // %%MatrixMarket
  const std::string_view object = banner.next_token();
  const std::string_view layout = banner.next_token();
  const std::string_view field = banner.next_token();
  const std::string_view symmetry = banner.next_token();
  const bool pattern = field == "pattern";
  const bool array = layout == "array";
  const bool symmetric = symmetry == "symmetric";
  if (object != "matrix" || (layout != "coordinate" && !array) ||
      (field != "real" && field != "integer" && !pattern) ||
      (symmetry != "general" && !symmetric) || (array && pattern)) {
    banner.fail("not a general or symmetric matrix of real numbers",
                "the first line must be: %%MatrixMarket matrix coordinate real general");
  }
  if (!tokens.next_line()) tokens.fail("the file ends before the sizes", "give rows and columns");
  const int size = tokens.next_int("number of rows", 1, tokens.most());
  if (tokens.next_int("number of columns", 1, tokens.most()) != size) {
    tokens.fail("the matrix is not square", "give one row and one column per process");
  }
  std::vector<Transfer> transfers;
  const auto add = [&](int from, int to, double bytes) {
    if (bytes == 0) return;
    transfers.push_back({from, to, bytes});
    if (symmetric) transfers.push_back({to, from, bytes});
  };
  const auto next = [&] {
    if (!tokens.next_line()) tokens.fail("the file ends before its last entry", "give all entries");
  };
  if (array) {
    for (int column = 0; column < size; ++column) {
      for (int row = symmetric ? column : 0; row < size; ++row) {
        next();
        add(row, column, tokens.next_weight());
      }
    }
  } else {
    const int entries = tokens.next_int("number of entries", 0, std::numeric_limits<int>::max());
    for (int entry = 0; entry < entries; ++entry) {
      next();
      const int row = tokens.next_int("row", 1, size) - 1;
      const int column = tokens.next_int("column", 1, size) - 1;
      add(row, column, pattern ? 1 : tokens.next_weight());
    }
  }
  return {graph_of(std::move(transfers), size), !pattern};
}

GraphFile read_csv(Tokens tokens) {
  std::vector<Transfer> transfers;
  int rows = 0;
  int columns = 0;
  for (; tokens.next_line(); ++rows) {
    int column = 0;
    for (; !tokens.at_end_of_line(); ++column) {
      const double bytes = tokens.next_weight();
      if (bytes > 0) transfers.push_back({rows, column, bytes});
    }
    if (rows > 0 && column != columns) {
      tokens.fail(fmt::format("{} in this line, but {} in the line above",
                              counted(column, "entry", "entries"), columns),
                  "give a square matrix");
    }
    columns = column;
  }
  if (rows == 0 || rows != columns) {
    tokens.fail(fmt::format("the matrix is not square: {} x {}", rows, columns),
                "give a square matrix, one line per sender");
  }
  return {graph_of(std::move(transfers), rows), true};
}

}  // namespace

Graph graph_of(std::vector<Transfer> transfers, int size) {
  std::erase_if(transfers, [](const Transfer& one) { return one.from == one.to; });
  const std::size_t sent = transfers.size();
  for (std::size_t i = 0; i < sent; ++i) {
    transfers.push_back({transfers[i].to, transfers[i].from, 0, 0});
  }
  std::stable_sort(transfers.begin(), transfers.end(), [](const Transfer& a, const Transfer& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  Graph graph;
  graph.first.assign(static_cast<std::size_t>(size) + 1, 0);
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& one = transfers[i];
    if (i == 0 || one.from != transfers[i - 1].from || one.to != transfers[i - 1].to) {
      graph.to.push_back(one.to);
      graph.bytes.push_back(0);
      graph.messages.push_back(0);
      ++graph.first[static_cast<std::size_t>(one.from) + 1];
    }
    graph.bytes.back() += one.bytes;
    graph.messages.back() += one.messages;
  }
  for (std::size_t p = 1; p < graph.first.size(); ++p) graph.first[p] += graph.first[p - 1];
  return graph;
}

GraphFile read_graph(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  const std::string name = path.string();
  const std::string extension = path.extension().string();
  if (extension == ".graph") return read_metis(Tokens(name, text, '%'));
  if (extension == ".mtx") {
    return read_matrix_market(Tokens(name, text, '%'), Tokens(name, text, '\0'));
  }
  if (extension == ".csv") return read_csv(Tokens(name, text, '#'));
  throw Error(name, "unknown file extension",
              "name it .graph (METIS), .mtx (Matrix Market) or .csv");
}

}  // namespace plait::mapping
