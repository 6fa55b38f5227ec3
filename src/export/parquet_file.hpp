// SPDX-License-Identifier: BSD-3-Clause
// Writes Parquet files: flat tables of required columns, compressed with zstd.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "export/output_file.hpp"

namespace plait::exports {

enum class ColumnType : std::uint8_t { int32, int64, text };

struct Column {
  std::string name;
  ColumnType type = ColumnType::int64;
  std::vector<std::int64_t> values;  ///< of the current row group; of texts: indices into `texts`
  std::vector<std::string> texts = {};  ///< dictionary of a text column
};

/// Collects rows and writes them in row groups. Numbers are delta encoded, texts are dictionary
/// encoded.
class ParquetFile {
public:
  /// @throws Error when the file exists and `replace` is false, or it cannot be written.
  ParquetFile(std::filesystem::path path, bool replace, std::vector<Column> columns);

  /// Appends a row with one value per column.
  void row(std::initializer_list<std::int64_t> values);

  /// Writes the remaining rows and the footer.
  /// @param metadata  keys and values about the table
  /// @returns the size of the file in bytes
  std::uint64_t close(const std::vector<std::pair<std::string, std::string>>& metadata);

private:
  struct Chunk {  // one column of a row group
    std::int64_t dictionary_offset = -1, data_offset = 0, plain_bytes = 0, stored_bytes = 0;
  };
  struct RowGroup {
    std::int64_t rows = 0;
    std::vector<Chunk> chunks;
  };

  void write_group();
  [[nodiscard]] std::string footer(
      const std::vector<std::pair<std::string, std::string>>& metadata) const;

  OutputFile out_;
  std::vector<Column> columns_;
  std::vector<RowGroup> groups_;
};

}  // namespace plait::exports
