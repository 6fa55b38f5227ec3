// SPDX-License-Identifier: BSD-3-Clause
// Tests of Matrix Market files: reading in parts, and errors that name the line.
#include "matrix_market.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "matrix_rows.hpp"
#include "plait/error.hpp"

namespace plait::cg {
namespace {

const std::string kHead = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";

/// A file that lives as long as the test.
class File {
public:
  explicit File(const std::string& text) : path_(testing::TempDir() + "plait_matrix_market_test") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() { std::remove(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
};

/// Reads as `parts` ranks do, one after the other, and makes all checks.
std::vector<MatrixEntry> read_all(const std::string& path, int parts) {
  const MatrixHead head = read_matrix_head(path);
  std::vector<MatrixEntry> all, transposed;
  std::int64_t lines = head.lines;
  for (int part = 0; part < parts; ++part) {
    try {
      const EntryPart own = read_entries(path, head, part, parts);
      all.insert(all.end(), own.entries.begin(), own.entries.end());
      lines += own.lines;
    } catch (const LineError& error) {
      throw error.in(path, lines);
    }
  }
  check_number_of_entries(path, head, static_cast<std::int64_t>(all.size()));
  for (const MatrixEntry& entry : all) {
    transposed.push_back({entry.column, entry.row, entry.value});
  }
  const MatrixRows rows = rows_of(all, 0, head.size);
  check_rows(path, rows);
  if (!head.symmetric) check_symmetry(path, rows, rows_of(transposed, 0, head.size));
  return all;
}

/// What reading throws; empty: nothing.
std::string error_of(const std::string& text, int parts) {
  const File file(text);
  try {
    read_all(file.path(), parts);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MatrixMarket, PartsHaveEveryEntryOnceWhereverTheyAreCut) {
  std::string text = kHead + "% comment\n\n40 40 40\n";
  for (int row = 1; row <= 40; ++row) {
    text += std::to_string(row) + " " + std::to_string(row) + " " +
            std::string(static_cast<std::size_t>(row % 7), ' ') + "+1." + std::to_string(row) +
            (row % 5 == 0 ? "\r\n% between\n\n" : "\n");
  }
  for (const bool cut_end : {false, true}) {
    if (cut_end) text.erase(text.find_last_not_of("\n") + 1);  // the last line without its end
    const File file(text);
    for (int parts = 1; parts <= 60; ++parts) {
      const std::vector<MatrixEntry> entries = read_all(file.path(), parts);
      ASSERT_EQ(entries.size(), 40u) << parts;
      for (int row = 0; row < 40; ++row) {
        const MatrixEntry& entry = entries[static_cast<std::size_t>(row)];
        EXPECT_EQ(entry.row, row);
        EXPECT_EQ(entry.value, std::stod("1." + std::to_string(row + 1)));
      }
    }
  }
}

TEST(MatrixMarket, ErrorsNameTheLineInTheFileWhicheverPartHasIt) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "the file is empty"},
      {"hello\n", ":1: not a Matrix Market file"},
      {"%%MatrixMarket matrix array real general\n1 1\n1\n", "not a sparse matrix"},
      {"%%MatrixMarket matrix coordinate complex symmetric\n1 1 1\n1 1 1 0\n", "not a real matrix"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 1\n1 1 1\n", "not a symmetric"},
      {kHead, ":1: the file ends before the size"},
      {kHead + "2 3 2\n1 1 1\n2 2 1\n", ":2: 2 rows and 3 columns: not square"},
      {kHead + "2 2 1\n1 1 1\n", "fewer entries than rows"},
      {kHead + "2 2 3\n1 1 1\n2 2 1\n", "the file ends after 2 of 3 entries"},
      {kHead + "2 2 2\n1 1 1\n2 2 1\n2 1 0\n", "more than 2 entries"},
      {kHead + "2 2 2000000000\n1 1 1\n", "too short for 2000000000 entries"},
      {kHead + "2 2 2\n1 1 1\n3 2 1\n", ":4: a row is not from 1 to 2"},
      {kHead + "3 3 3\n1 1 1\n% here\n\n2 2 1\n3 x 1\n", ":7: expected a column"},
      {kHead + "2 2 2\n1 1 1\n2 2 nan\n", ":4: the value is not a finite number"},
      {kHead + "2 2 2\n1 1 1 1\n2 2 2\n", ":3: more on the line than expected"},
      {kHead + "2 2 3\n1 1 1\n2 2 1\n1 1 1\n", "row 1, column 1 is there twice"},
      {kHead + "2 2 3\n1 1 1\n2 2 1\n1 2 1\n", ":5: an entry above the diagonal"},
      {kHead + "2 2 2\n1 1 1\n2 2 -1\n", "not positive definite: the diagonal of row 2"},
      {kGeneral + "2 2 4\n1 1 3\n2 2 3\n1 2 1\n2 1 2\n", "not symmetric: row 1, column 2"},
      {kGeneral + "2 2 3\n1 1 3\n2 2 3\n2 1 1\n", "not symmetric: row 1, column 2"},
  };
  for (const auto& [text, expected] : cases) {
    for (const int parts : {1, 2, 5}) {
      const std::string error = error_of(text, parts);
      EXPECT_NE(error.find(expected), std::string::npos) << parts << ": " << error;
    }
  }
  EXPECT_EQ(error_of(kGeneral + "2 2 4\n1 1 3\n2 2 3\n1 2 1\n2 1 1\n", 3), "");
}

TEST(MatrixMarket, ALineWithoutEndIsRefused) {
  const std::string error =
      error_of(kHead + "2 2 2\n1 1 1\n2 2 1" + std::string(2 << 20, '0') + "\n", 1);
  EXPECT_NE(error.find(":4: a line longer than 1 MiB"), std::string::npos) << error;
}

TEST(MatrixMarket, FilesThatAreNoneAreRefused) {
  EXPECT_THROW(read_matrix_head("absent"), Error);
  EXPECT_THROW(read_matrix_head("."), Error);
  EXPECT_THROW(read_vector("absent", 1), Error);
}

TEST(MatrixMarket, AVectorIsNumbersOrAnArray) {
  const std::vector<double> expected{1, 2.5, -3};
  const std::string array = "%%MatrixMarket matrix array real general\n";
  for (const std::string& text :
       {std::string("1\n+2.5\n\n% comment\n-3"), array + "3 1\n1\n2.5\n-3\n"}) {
    EXPECT_EQ(read_vector(File(text).path(), 3), expected);
  }
  for (const auto& [text, reason] : std::vector<std::pair<std::string, std::string>>{
           {"1\n2\n", ":2: the file ends after 2 of 3 numbers"},
           {"1\n2\n3\n4\n", ":4: more than 3 numbers"},
           {"1 2\n", "more on the line"},
           {array + "2 1\n1\n2\n", "the number of rows is not from 3 to 3"},
           {array + "3 1\n", "the file ends after 0 of 3 numbers"},
           {kHead, "not an array"},
           {"", "the file is empty"}}) {
    const File file(text);
    try {
      read_vector(file.path(), 3);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace plait::cg
