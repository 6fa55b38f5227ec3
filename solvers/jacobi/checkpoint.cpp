// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes checkpoints: the state between two steps in one file.
#include "checkpoint.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "cell_file.hpp"
#include "measures.hpp"
#include "numbers.hpp"
#include "plait/environment.hpp"

namespace plait::jacobi {
namespace {

constexpr std::size_t header_bytes = 4096;
constexpr const char* magic = "plait-jacobi-checkpoint";
constexpr const char* version = "1";
constexpr const char* byte_order = std::endian::native == std::endian::little ? "little" : "big";
constexpr const char* damaged = "the file is damaged; use an older checkpoint";

/// FNV-1a.
std::uint64_t hash(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return value;
}

std::string hex(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

bool read_hex(const std::string& text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

/// Reads the header and checks the length of the file. Local.
CheckpointHeader read_header(const std::string& path) {
  std::error_code code;
  const auto bytes = std::filesystem::file_size(path, code);
  if (code) throw Error("--restart " + path, code.message(), "pass an existing checkpoint");
  std::ifstream file(path, std::ios::binary);
  std::string text(header_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const CheckpointHeader header = CheckpointHeader::parse(text, path);
  const auto [x, y, z] = header.cells;
  const std::uint64_t expected =
      header_bytes + std::uint64_t{sizeof(double)} * static_cast<std::uint64_t>(x) *
                         static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(z);
  if (bytes != expected) {
    throw Error(
        "--restart " + path,
        "truncated: has " + std::to_string(bytes) + " bytes instead of " + std::to_string(expected),
        "use an older checkpoint");
  }
  return header;
}

}  // namespace

std::string CheckpointHeader::text() const {
  std::string lines = std::string(magic) + " " + version + "\nbyte_order " + byte_order +
                      "\ncells " + extents_text(cells) + "\nsteps " + std::to_string(steps) +
                      "\nproblem " + to_string(problem) + "\nboundary " + boundary.text() +
                      "\nsource " + number_text(source) + "\n";
  if (undecided) lines += "undecided " + number_text(*undecided) + "\n";
  lines += "checksum " + hex(checksum) + "\n";
  lines += "header " + hex(hash(lines)) + "\n";
  lines.resize(header_bytes, '\n');
  return lines;
}

CheckpointHeader CheckpointHeader::parse(const std::string& text, const std::string& path) {
  const std::string input = "--restart " + path;
  if (!text.starts_with(std::string(magic) + " ")) {
    throw Error(input, "not a plait-jacobi checkpoint", "pass a file written by --checkpoint");
  }
  std::map<std::string, std::string> values;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line) && !line.empty()) {
    const std::size_t space = line.find(' ');
    values[line.substr(0, space)] = space == std::string::npos ? "" : line.substr(space + 1);
  }
  if (values[magic] != version) {
    throw Error(input, "has version " + values[magic] + ", but this program reads " + version,
                "use the program that wrote the file");
  }
  std::uint64_t written = 0;
  const std::size_t end = text.find("\nheader ");
  if (end == std::string::npos || !read_hex(values["header"], written) ||
      hash(text.substr(0, end + 1)) != written) {
    throw Error(input, "header does not match its checksum", damaged);
  }
  if (values["byte_order"] != byte_order) {
    throw Error(input, "opposite byte order",
                "restart on a machine with the byte order of the one that wrote the file");
  }
  CheckpointHeader header;
  header.cells = read_extents(input, values["cells"], 1);
  header.problem = parse_problem(values["problem"]);
  header.boundary = Boundary::parse(values["boundary"]);
  bool good = read_number(values["steps"], header.steps) &&
              read_number(values["source"], header.source) &&
              read_hex(values["checksum"], header.checksum);
  if (values.count("undecided") != 0) {
    good = good && read_number(values["undecided"], header.undecided.emplace());
  }
  if (!good) throw Error(input, "header cannot be read", damaged);
  return header;
}

void write_checkpoint(const CartesianGrid& grid, const Field<double>& field,
                      const std::string& path, const CheckpointHeader& header) {
  CheckpointHeader complete = header;
  complete.checksum = checksum(grid, field);
  replace_file(grid, path, [&](const std::string& partial) {
    std::optional<Error> error;
    if (grid.rank() == 0) {
      std::ofstream file(partial, std::ios::binary);
      file << complete.text() << std::flush;
      if (!file) error.emplace(path, "cannot be written", "check that the file system is not full");
    }
    agree_on_error(grid.comm(), error ? &*error : nullptr);
    write_cells(grid, field, partial, header_bytes);
  });
}

CheckpointHeader read_checkpoint_header(MPI_Comm comm, const std::string& path) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::optional<Error> error;
  std::string text(header_bytes, '\n');
  if (rank == 0) {
    try {
      text = read_header(path).text();
    } catch (const Error& thrown) {
      error.emplace(thrown);
    }
  }
  agree_on_error(comm, error ? &*error : nullptr);
  MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, comm);
  return CheckpointHeader::parse(text, path);
}

void read_checkpoint(const CartesianGrid& grid, Field<double>& field, const std::string& path,
                     const CheckpointHeader& header) {
  read_cells(grid, field, path, header_bytes);
  if (checksum(grid, field) != header.checksum) {
    throw CollectiveError("--restart " + path, "cells do not match their checksum", damaged);
  }
}

}  // namespace plait::jacobi
