// SPDX-License-Identifier: BSD-3-Clause
// Generates or reads the entries of the linear system.
#include "problem.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "plait/error.hpp"

namespace plait::lu {

struct Problem::File {
  int descriptor = -1;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): a linear sequence, so that any element can be computed on
/// its own, and a bijection that mixes its bits.
double random_entry(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = (seed << 32) * 0xD1342543DE82EF95U + (index + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53 - 0.5;
}

/// Columns with distances of whole pages would share few cache sets.
int padded(int rows) {
  const int lines = static_cast<int>(whole_lines(static_cast<std::size_t>(rows)));
  return lines % 64 == 0 ? lines + 8 : lines;
}

}  // namespace

Problem::Problem(ProblemOptions options) : options_(std::move(options)) {
  if (options_.kind != MatrixKind::file) return;
  const std::string& path = options_.file;
  auto file = std::make_shared<File>();
  file->descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file->descriptor < 0 || ::fstat(file->descriptor, &status) != 0) {
    throw Error("--matrix " + path, std::strerror(errno), "give a file of raw doubles");
  }
  const auto n = static_cast<std::int64_t>(options_.size);
  const std::int64_t expected = 8 * n * (n + 1);
  if (status.st_size != expected) {
    throw Error("--matrix " + path,
                "has " + std::to_string(status.st_size) + " bytes, not the " +
                    std::to_string(expected) + " of a system with N = " + std::to_string(n),
                "give the columns of A and then b as raw doubles, and --size");
  }
  file_ = std::move(file);
}

void Problem::column(int column, Range rows, double* values) const {
  const auto n = static_cast<std::uint64_t>(options_.size);
  const auto start = static_cast<std::uint64_t>(column) * n;
  if (options_.kind != MatrixKind::file) {
    for (int i = rows.first; i < rows.last; ++i) {
      values[i - rows.first] = random_entry(options_.seed, start + static_cast<std::uint64_t>(i));
    }
    const bool diagonal = rows.first <= column && column < rows.last;
    if (options_.kind == MatrixKind::dominant && diagonal) {
      values[column - rows.first] += options_.size;
    }
    return;
  }
  const std::size_t bytes = static_cast<std::size_t>(rows.size()) * sizeof(double);
  const auto offset = static_cast<off_t>((start + static_cast<std::uint64_t>(rows.first)) * 8);
  if (::pread(file_->descriptor, values, bytes, offset) != static_cast<ssize_t>(bytes)) {
    throw Error("--matrix " + options_.file, "cannot be read", "check the file system");
  }
  for (int i = rows.first; i < rows.last; ++i) {
    if (std::isfinite(values[i - rows.first])) continue;
    throw Error("--matrix " + options_.file,
                "row " + std::to_string(i + 1) + " of column " + std::to_string(column + 1) +
                    " is not a finite number",
                "remove NaN and infinite values");
  }
}

Matrix::Matrix(int n, const BlockCyclic& row_blocks, const BlockCyclic& column_blocks)
    : rows(row_blocks),
      columns(column_blocks),
      size(n),
      local_rows(rows.below(n)),
      local_columns(columns.below(n + 1)),
      stride(padded(local_rows)),
      memory(static_cast<std::size_t>(matrix_doubles(n, rows, columns))) {}

double matrix_doubles(int size, const BlockCyclic& rows, const BlockCyclic& columns) {
  return static_cast<double>(padded(rows.below(size))) * columns.below(size + 1);
}

void Matrix::fill(const Problem& problem) {
  std::optional<Error> wrong;
#pragma omp parallel for schedule(static)
  for (int column = 0; column < local_columns; ++column) {
    try {
      for (int row = 0; row < local_rows;) {
        // Own rows are contiguous up to the end of their block.
        const int first = rows.global(row);
        int last = row + 1;
        while (last < local_rows && rows.global(last) == first + (last - row)) ++last;
        problem.column(columns.global(column), {first, first + (last - row)}, at(row, column));
        row = last;
      }
    } catch (const Error& error) {
#pragma omp critical
      wrong.emplace(error);
    }
  }
  if (wrong) throw Error(*wrong);
}

}  // namespace plait::lu
