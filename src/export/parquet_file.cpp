// SPDX-License-Identifier: BSD-3-Clause
// Writes Parquet files. Names of structures, fields and encodings are those of parquet.thrift and
// Encodings.md in apache/parquet-format.
#include "export/parquet_file.hpp"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <type_traits>

#include "base/parallel.hpp"
#include "export/thrift.hpp"

namespace plait::exports {
namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr std::size_t kRowsOfGroup = 1 << 20;
constexpr int kZstdLevel = 3;

enum PageType { kDataPage = 0, kDictionaryPage = 2 };
enum Encoding { kPlain = 0, kRle = 3, kDelta = 5, kDictionary = 8 };
constexpr std::int32_t kZstd = 6, kRequired = 0, kUtf8 = 0;

std::int32_t physical_type(ColumnType type) {
  switch (type) {
    case ColumnType::int32:
      return 1;
    case ColumnType::int64:
      return 2;
    case ColumnType::text:
      break;
  }
  return 6;  // BYTE_ARRAY
}

/// Appends numbers of `width` bits, low bits first.
void pack_bits(std::string& to, std::span<const std::uint64_t> values, unsigned width) {
  unsigned byte = 0, used = 0;
  for (const std::uint64_t value : values) {
    for (unsigned done = 0; done < width;) {
      const unsigned take = std::min(8 - used, width - done);
      const auto bits = static_cast<unsigned>(value >> done) & ((1U << take) - 1);
      byte |= bits << used;
      done += take;
      used += take;
      if (used == 8) {
        to += static_cast<char>(byte);
        byte = used = 0;
      }
    }
  }
  if (used > 0) to += static_cast<char>(byte);
}

/// DELTA_BINARY_PACKED: blocks of 128 differences minus the block's smallest, in four miniblocks
/// with their own bit widths. Differences wrap at the width of the column's type.
template <class Number>
std::string delta_encoded(const std::vector<std::int64_t>& values) {
  using Unsigned = std::make_unsigned_t<Number>;
  constexpr std::size_t kBlock = 128, kMiniblocks = 4, kMiniblock = kBlock / kMiniblocks;
  std::string out;
  put_varint(out, kBlock);
  put_varint(out, kMiniblocks);
  put_varint(out, values.size());
  put_varint(out, zigzag(values.empty() ? 0 : values.front()));
  std::array<std::uint64_t, kBlock> deltas{};
  for (std::size_t first = 1; first < values.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, values.size() - first);
    const auto delta = [&](std::size_t i) {
      return static_cast<Number>(static_cast<Unsigned>(values[first + i]) -
                                 static_cast<Unsigned>(values[first + i - 1]));
    };
    Number least = delta(0);
    for (std::size_t i = 1; i < count; ++i) least = std::min(least, delta(i));
    deltas.fill(0);
    for (std::size_t i = 0; i < count; ++i) {
      deltas[i] =
          static_cast<Unsigned>(static_cast<Unsigned>(delta(i)) - static_cast<Unsigned>(least));
    }
    put_varint(out, zigzag(least));
    std::array<unsigned, kMiniblocks> widths{};
    for (std::size_t mini = 0; mini < kMiniblocks; ++mini) {
      const auto part = std::span(deltas).subspan(mini * kMiniblock, kMiniblock);
      widths[mini] = static_cast<unsigned>(std::bit_width(*std::ranges::max_element(part)));
      out += static_cast<char>(widths[mini]);
    }
    for (std::size_t mini = 0; mini * kMiniblock < count; ++mini) {
      pack_bits(out, std::span(deltas).subspan(mini * kMiniblock, kMiniblock), widths[mini]);
    }
  }
  return out;
}

/// RLE_DICTIONARY: one bit-packed run of indices.
std::string indices_encoded(const std::vector<std::int64_t>& values, std::size_t dictionary) {
  const auto width =
      static_cast<unsigned>(std::max(1, static_cast<int>(std::bit_width(dictionary - 1))));
  std::vector<std::uint64_t> padded(values.begin(), values.end());
  padded.resize((padded.size() + 7) / 8 * 8);
  std::string out(1, static_cast<char>(width));
  put_varint(out, padded.size() / 8 << 1U | 1U);
  pack_bits(out, padded, width);
  return out;
}

std::string dictionary_encoded(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) {
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(text.size() >> shift);
    out += text;
  }
  return out;
}

std::string compressed(const std::string& content) {
  std::string out(ZSTD_compressBound(content.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), kZstdLevel));
  return out;
}

/// The pages of a column in a row group, as they are stored.
struct Pages {
  std::string dictionary, data;
  std::int64_t plain_bytes = 0;
};

std::string page(const std::string& content, int type, std::size_t values, int encoding,
                 std::int64_t& plain_bytes) {
  const std::string stored = compressed(content);
  Thrift header;
  header.i32(1, type);
  header.i32(2, static_cast<std::int32_t>(content.size()));
  header.i32(3, static_cast<std::int32_t>(stored.size()));
  header.begin_struct(type == kDataPage ? 5 : 7);
  header.i32(1, static_cast<std::int32_t>(values));
  header.i32(2, encoding);
  if (type == kDataPage) {
    header.i32(3, kRle);  // encoding of definition and repetition levels, which are absent
    header.i32(4, kRle);
  }
  header.end_struct();
  const std::string head = header.finish();
  plain_bytes += static_cast<std::int64_t>(head.size() + content.size());
  return head + stored;
}

Pages pages_of(const Column& column) {
  Pages pages;
  const std::size_t rows = column.values.size();
  if (column.type != ColumnType::text) {
    pages.data = page(column.type == ColumnType::int32 ? delta_encoded<std::int32_t>(column.values)
                                                       : delta_encoded<std::int64_t>(column.values),
                      kDataPage, rows, kDelta, pages.plain_bytes);
    return pages;
  }
  pages.dictionary = page(dictionary_encoded(column.texts), kDictionaryPage, column.texts.size(),
                          kPlain, pages.plain_bytes);
  pages.data = page(indices_encoded(column.values, column.texts.size()), kDataPage, rows,
                    kDictionary, pages.plain_bytes);
  return pages;
}

}  // namespace

ParquetFile::ParquetFile(std::filesystem::path path, bool replace, std::vector<Column> columns)
    : out_(std::move(path), replace), columns_(std::move(columns)) {
  out_.put(kMagic);
}

void ParquetFile::row(std::initializer_list<std::int64_t> values) {
  auto column = columns_.begin();
  for (const std::int64_t value : values) (column++)->values.push_back(value);
  if (columns_.front().values.size() == kRowsOfGroup) write_group();
}

void ParquetFile::write_group() {
  std::vector<Pages> pages(columns_.size());
  for_each_index(columns_.size(), [&](std::size_t i) { pages[i] = pages_of(columns_[i]); });
  RowGroup& group = groups_.emplace_back();
  group.rows = static_cast<std::int64_t>(columns_.front().values.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Pages& of = pages[i];
    Chunk& chunk = group.chunks.emplace_back();
    if (columns_[i].type == ColumnType::text)
      chunk.dictionary_offset = static_cast<std::int64_t>(out_.size());
    out_.put(of.dictionary);
    chunk.data_offset = static_cast<std::int64_t>(out_.size());
    out_.put(of.data);
    chunk.plain_bytes = of.plain_bytes;
    chunk.stored_bytes = static_cast<std::int64_t>(of.dictionary.size() + of.data.size());
    columns_[i].values.clear();
  }
}

std::string ParquetFile::footer(
    const std::vector<std::pair<std::string, std::string>>& metadata) const {
  Thrift file;
  file.i32(1, 2);  // version of the format
  file.begin_list_of_structs(2, columns_.size() + 1);
  file.begin_element();
  file.text(4, "schema");
  file.i32(5, static_cast<std::int32_t>(columns_.size()));
  file.end_element();
  for (const Column& column : columns_) {
    file.begin_element();
    file.i32(1, physical_type(column.type));
    file.i32(3, kRequired);
    file.text(4, column.name);
    if (column.type == ColumnType::text) file.i32(6, kUtf8);
    file.end_element();
  }
  std::int64_t rows = 0;
  for (const RowGroup& group : groups_) rows += group.rows;
  file.i64(3, rows);
  file.begin_list_of_structs(4, groups_.size());
  for (const RowGroup& group : groups_) {
    std::int64_t plain_bytes = 0;
    file.begin_element();
    file.begin_list_of_structs(1, group.chunks.size());
    for (std::size_t index = 0; index < group.chunks.size(); ++index) {
      const Chunk& chunk = group.chunks[index];
      const bool text = columns_[index].type == ColumnType::text;
      plain_bytes += chunk.plain_bytes;
      file.begin_element();
      file.i64(2, 0);  // no metadata outside this footer
      file.begin_struct(3);
      file.i32(1, physical_type(columns_[index].type));
      file.begin_list_of_numbers(2, text ? 2 : 1);
      file.element(text ? kDictionary : kDelta);
      if (text) file.element(kPlain);
      file.begin_list_of_texts(3, 1);
      file.element(std::string_view(columns_[index].name));
      file.i32(4, kZstd);
      file.i64(5, group.rows);
      file.i64(6, chunk.plain_bytes);
      file.i64(7, chunk.stored_bytes);
      file.i64(9, chunk.data_offset);
      if (text) file.i64(11, chunk.dictionary_offset);
      file.end_struct();
      file.end_element();
    }
    file.i64(2, plain_bytes);
    file.i64(3, group.rows);
    file.end_element();
  }
  file.begin_list_of_structs(5, metadata.size());
  for (const auto& [key, value] : metadata) {
    file.begin_element();
    file.text(1, key);
    file.text(2, value);
    file.end_element();
  }
  file.text(6, "plait " PLAIT_VERSION);
  return file.finish();
}

std::uint64_t ParquetFile::close(const std::vector<std::pair<std::string, std::string>>& metadata) {
  if (!columns_.front().values.empty()) write_group();
  std::string end = footer(metadata);
  const auto size = static_cast<std::uint32_t>(end.size());
  for (int shift = 0; shift < 32; shift += 8) end += static_cast<char>(size >> shift);
  out_.put(end);
  out_.put(kMagic);
  return out_.close();
}

}  // namespace plait::exports
