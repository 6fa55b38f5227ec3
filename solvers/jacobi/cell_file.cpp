// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes the cells of a field in one file with MPI-IO.
#include "cell_file.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "plait/environment.hpp"

namespace plait::jacobi {
namespace {

std::string partial_name(const std::string& path) {
  return path + ".partial";
}

std::string mpi_reason(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

/// @throws CollectiveError if the call failed on any rank
void require(MPI_Comm comm, int code, const std::string& path, const char* what,
             const char* remedy) {
  std::optional<Error> error;
  if (code != MPI_SUCCESS) error.emplace(path, std::string(what) + ": " + mpi_reason(code), remedy);
  agree_on_error(comm, error ? &*error : nullptr);
}

/// @throws CollectiveError if rank 0 has an error
void require(MPI_Comm comm, const std::optional<Error>& error) {
  agree_on_error(comm, error ? &*error : nullptr);
}

/// An MPI datatype that is freed at the end of its scope.
struct Datatype {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Datatype() = default;
  ~Datatype() { MPI_Type_free(&type); }
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
};

/// The place of this rank's cells in the file: C order, so z comes first.
void make_file_type(const CartesianGrid& grid, Datatype& datatype) {
  const Box own = grid.own();
  std::array<int, 3> sizes{};
  std::array<int, 3> parts{};
  std::array<int, 3> starts{};
  for (std::size_t d = 0; d < 3; ++d) {
    sizes[2 - d] = grid.cells()[d];
    parts[2 - d] = own.extent(static_cast<int>(d));
    starts[2 - d] = own.first[d];
  }
  MPI_Type_create_subarray(3, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C, MPI_DOUBLE,
                           &datatype.type);
  MPI_Type_commit(&datatype.type);
}

/// The place of the cells in memory, between ghosts and padding.
void make_memory_type(const Field<double>& field, Datatype& datatype) {
  const Int3 n = field.own_cells();
  const auto bytes = static_cast<MPI_Aint>(sizeof(double));
  MPI_Datatype plane = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(n[1], n[0], field.stride_y() * bytes, MPI_DOUBLE, &plane);
  MPI_Type_create_hvector(n[2], 1, field.stride_z() * bytes, plane, &datatype.type);
  MPI_Type_commit(&datatype.type);
  MPI_Type_free(&plane);
}

/// Datatypes of this rank's cells in the file and in memory; sets the view of the file.
struct Layout {
  Datatype in_file;
  Datatype in_memory;
  Layout(const CartesianGrid& grid, const Field<double>& field, MPI_File file, MPI_Offset offset) {
    make_file_type(grid, in_file);
    make_memory_type(field, in_memory);
    MPI_File_set_view(file, offset, MPI_DOUBLE, in_file.type, "native", MPI_INFO_NULL);
  }
};

}  // namespace

std::int64_t bytes_of_cells(const CartesianGrid& grid) {
  const Int3& n = grid.cells();
  return std::int64_t{n[0]} * n[1] * n[2] * static_cast<std::int64_t>(sizeof(double));
}

void write_cells(const CartesianGrid& grid, const Field<double>& field, const std::string& path,
                 std::int64_t offset) {
  constexpr const char* remedy =
      "check that the file system is not full and that all nodes share the folder";
  MPI_File file = MPI_FILE_NULL;
  require(grid.comm(),
          MPI_File_open(grid.comm(), path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                        &file),
          path, "cannot be opened for writing", remedy);
  const Layout layout(grid, field, file, offset);
  int code = MPI_File_write_all(file, field.row(0, 0), 1, layout.in_memory.type, MPI_STATUS_IGNORE);
  const int synced = MPI_File_sync(file);
  if (code == MPI_SUCCESS) code = synced;
  const int closed = MPI_File_close(&file);
  if (code == MPI_SUCCESS) code = closed;
  require(grid.comm(), code, path, "cannot be written", remedy);
  if (size_of_file(grid, "", path) < offset + bytes_of_cells(grid)) {
    throw CollectiveError(path, "incomplete after writing", remedy);
  }
}

void read_cells(const CartesianGrid& grid, Field<double>& field, const std::string& path,
                std::int64_t offset) {
  constexpr const char* remedy = "check that all nodes share the folder";
  MPI_File file = MPI_FILE_NULL;
  require(grid.comm(),
          MPI_File_open(grid.comm(), path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file), path,
          "cannot be opened", remedy);
  const Layout layout(grid, field, file, offset);
  int code = MPI_File_read_all(file, field.row(0, 0), 1, layout.in_memory.type, MPI_STATUS_IGNORE);
  const int closed = MPI_File_close(&file);
  if (code == MPI_SUCCESS) code = closed;
  require(grid.comm(), code, path, "cannot be read", remedy);
}

std::int64_t size_of_file(const CartesianGrid& grid, const std::string& option,
                          const std::string& path) {
  std::int64_t bytes = 0;
  std::optional<Error> error;
  if (grid.rank() == 0) {
    std::error_code code;
    const auto size = std::filesystem::file_size(path, code);
    const std::string input = option.empty() ? path : option + " " + path;
    if (code) {
      error.emplace(input, code.message(), "pass an existing file");
    } else if (::access(path.c_str(), R_OK) != 0) {
      error.emplace(input, std::strerror(errno), "pass a readable file");
    } else {
      bytes = static_cast<std::int64_t>(size);
    }
  }
  require(grid.comm(), error);
  MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, grid.comm());
  return bytes;
}

void replace_file(const CartesianGrid& grid, const std::string& path,
                  const std::function<void(const std::string&)>& write) {
  const std::string partial = partial_name(path);
  // The partial file of an earlier run may be longer.
  if (grid.rank() == 0) std::remove(partial.c_str());
  MPI_Barrier(grid.comm());
  write(partial);
  std::optional<Error> error;
  if (grid.rank() == 0 && std::rename(partial.c_str(), path.c_str()) != 0) {
    error.emplace(path, std::strerror(errno), "the complete file is " + partial);
  }
  require(grid.comm(), error);
}

void require_writable(MPI_Comm comm, const std::string& option, const std::string& path) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::optional<Error> error;
  if (rank == 0) {
    const std::string partial = partial_name(path);
    std::FILE* file =
        std::filesystem::is_directory(path) ? nullptr : std::fopen(partial.c_str(), "wb");
    if (file == nullptr) {
      const std::string reason =
          std::filesystem::is_directory(path) ? "it is a folder" : std::strerror(errno);
      error.emplace(option + " " + path, "cannot be written: " + reason,
                    "pass a file in an existing, writable folder");
    } else {
      std::fclose(file);
      std::remove(partial.c_str());
    }
  }
  require(comm, error);
}

}  // namespace plait::jacobi
