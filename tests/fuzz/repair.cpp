// SPDX-License-Identifier: BSD-3-Clause
// Makes changed traces pass their checksums, so that fuzzing reaches what is behind them.
#include "repair.hpp"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>

#include "compressed_events.hpp"
#include "trace/container_format.h"
#include "trace/crc.hpp"
#include "trace/event_format.h"
#include "trace/packed_format.h"

namespace plait::fuzz {
namespace {

using Buffer = std::vector<std::uint8_t>;

constexpr std::size_t kCovered = offsetof(plait_packed_chunk, kind);

template <class Value>
bool read_at(Bytes bytes, std::uint64_t at, Value& value) {
  if (at > bytes.size() || bytes.size() - at < sizeof value) return false;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return true;
}

std::uint32_t crc_of_columns(Bytes data, const plait_chunk_header& chunk) {
  const std::size_t capacity = std::size_t{4} * chunk.capacity;
  std::array<std::uint32_t, 4> crcs{};
  for (std::size_t i = 0; i < crcs.size(); ++i) {
    const std::size_t length = std::size_t{4} * (i < 3 ? chunk.events : chunk.words);
    crcs[i] = trace::crc32c(std::as_bytes(data.subspan(i * capacity, length)));
  }
  return trace::crc32c(std::as_bytes(std::span(crcs)));
}

/// Sets the checksum of the chunk at `at`. Returns the position behind it; 0 if there is none.
std::size_t repair_packed(Buffer& file, std::size_t at) {
  plait_packed_chunk head{};
  if (!read_at(file, at, head) || head.magic != PLAIT_PACKED_CHUNK_MAGIC ||
      head.stored_bytes > file.size() - at - sizeof head) {
    return 0;
  }
  const auto length = sizeof head - kCovered + static_cast<std::size_t>(head.stored_bytes);
  head.crc = trace::crc32(std::as_bytes(std::span(file).subspan(at + kCovered, length)));
  std::memcpy(file.data() + at, &head, sizeof head);
  return at + kCovered + length;
}

void append(Buffer& to, const void* from, std::size_t bytes) {
  const auto* const begin = static_cast<const std::uint8_t*>(from);
  to.insert(to.end(), begin, begin + bytes);
}

void compress(Buffer& to, Bytes plain) {
  const std::size_t before = to.size();
  to.resize(before + ZSTD_compressBound(plain.size()));
  to.resize(before +
            ZSTD_compress(to.data() + before, to.size() - before, plain.data(), plain.size(), 1));
}

void put_chunk(Buffer& file, plait_packed_chunk head, std::uint64_t plain_bytes, Buffer stored) {
  stored.resize(std::max<std::size_t>(stored.size(), plain_bytes / PLAIT_PACKED_RATIO + 1));
  head.magic = PLAIT_PACKED_CHUNK_MAGIC;
  head.stored_bytes = stored.size();
  const std::size_t at = file.size();
  append(file, &head, sizeof head);
  append(file, stored.data(), stored.size());
  repair_packed(file, at);
}

/// Takes as many bytes, or all that are left.
Bytes take(Bytes& from, std::size_t bytes) {
  const Bytes taken = from.first(std::min(bytes, from.size()));
  from = from.subspan(taken.size());
  return taken;
}

std::uint32_t take_count(Bytes& from) {
  std::uint32_t count = 0;
  const Bytes taken = take(from, sizeof count);
  std::memcpy(&count, taken.data(), taken.size());
  return count;
}

void put_blob(Buffer& file, plait_packed_kind kind, Bytes plain, std::size_t of_item) {
  plait_packed_chunk head{};
  head.kind = kind;
  head.items = static_cast<std::uint32_t>(plain.size() / of_item);
  Buffer stored;
  compress(stored, plain.first(head.items * of_item));
  put_chunk(file, head, plain.size(), std::move(stored));
}

void put_events(Buffer& file, Bytes& plain) {
  plait_packed_chunk head{};
  const Bytes taken = take(plain, sizeof head);
  std::memcpy(&head, taken.data(), taken.size());
  head.kind = PLAIT_PACKED_EVENTS;
  const std::size_t most = plain.size() / sizeof(std::uint32_t);
  head.items = static_cast<std::uint32_t>(std::min<std::size_t>(head.items, most / 3));
  head.words = static_cast<std::uint32_t>(
      std::min<std::size_t>(head.words, most - std::size_t{3} * head.items));
  Buffer stored;
  std::uint64_t all = 0;
  for (const std::size_t count : {head.items, head.items, head.items, head.words}) {
    const Bytes column = take(plain, count * sizeof(std::uint32_t));
    for (std::size_t byte = 0; byte < sizeof(std::uint32_t); ++byte) {
      Buffer plane;
      for (std::size_t i = byte; i < column.size(); i += sizeof(std::uint32_t)) {
        plane.push_back(column[i]);
      }
      compress(stored, plane);
    }
    all += column.size();
  }
  put_chunk(file, head, all, std::move(stored));
}

/// A raw event file with right checksums of its closed chunks.
Buffer with_checksums(Bytes bytes) {
  Buffer file(bytes.begin(), bytes.end());
  plait_events_header head{};
  if (!read_at(file, 0, head) || head.chunk_bytes < sizeof(plait_chunk_header)) return file;
  for (std::uint64_t number = 0; number < head.chunks; ++number) {
    const std::uint64_t at = head.header_bytes + number * head.chunk_bytes;
    plait_chunk_header chunk{};
    if (!read_at(file, at, chunk)) break;
    const Bytes data = Bytes(file).subspan(at + sizeof chunk);
    const bool events = chunk.kind == PLAIT_CHUNK_EVENTS && chunk.events <= chunk.capacity;
    const std::uint64_t used =
        events ? (3 * std::uint64_t{chunk.capacity} + chunk.words) * sizeof(std::uint32_t)
               : chunk.events * std::uint64_t{sizeof(plait_shape)};
    if (chunk.closed == 0 || used > data.size()) continue;
    chunk.crc = events ? crc_of_columns(data, chunk)
                       : trace::crc32c(std::as_bytes(data.first(static_cast<std::size_t>(used))));
    std::memcpy(file.data() + at, &chunk, sizeof chunk);
  }
  return file;
}

}  // namespace

Buffer event_file(Bytes bytes) {
  std::uint32_t magic = 0;
  if (read_at(bytes, 0, magic) && magic == PLAIT_EVENTS_FRAME_MAGIC) {
    return {bytes.begin(), bytes.end()};
  }
  const bool compress = !bytes.empty() && bytes.front() == kToCompress;
  Buffer file = with_checksums(compress ? bytes.subspan(1) : bytes);
  return compress ? trace::test::compressed_events(file) : file;
}

Buffer container(Bytes file) {
  Buffer made(file.begin(), file.end());
  plait_container_trailer trailer{};
  if (made.size() < sizeof trailer) return made;
  const std::size_t end = made.size() - sizeof trailer;
  read_at(made, end, trailer);
  if (trailer.index_offset > end ||
      (end - trailer.index_offset) / sizeof(plait_container_member) < trailer.members) {
    return made;
  }
  for (std::size_t i = 0; i < trailer.members; ++i) {
    plait_container_member member{};
    const std::size_t at = trailer.index_offset + i * sizeof member;
    read_at(made, at, member);
    if (member.offset > end || member.bytes > end - member.offset) continue;
    member.crc = trace::crc32c(std::as_bytes(std::span(made).subspan(member.offset, member.bytes)));
    std::memcpy(made.data() + at, &member, sizeof member);
  }
  const std::size_t bytes = trailer.members * sizeof(plait_container_member);
  trailer.index_crc =
      trace::crc32c(std::as_bytes(std::span(made).subspan(trailer.index_offset, bytes)));
  std::memcpy(made.data() + end, &trailer, sizeof trailer);
  return made;
}

Buffer check_file(Bytes bytes) {
  constexpr std::size_t kMostBlocks = 16;
  Buffer file(sizeof(plait_check_header));
  const Bytes head = take(bytes, kCheckHead);
  std::copy(head.begin(), head.end(), file.begin());
  for (std::size_t block = 0; block < kMostBlocks && !bytes.empty(); ++block) {
    file[offsetof(plait_check_header, owners) + block] =
        static_cast<std::uint8_t>(take_count(bytes));
    const std::size_t length = take_count(bytes);
    const Bytes content = take(bytes, std::min<std::size_t>(length, PLAIT_CHECK_BLOCK_BYTES));
    file.insert(file.end(), content.begin(), content.end());
    file.resize(sizeof(plait_check_header) + (block + 1) * PLAIT_CHECK_BLOCK_BYTES);
  }
  return file;
}

Buffer packed(Bytes bytes) {
  if (bytes.front() == 0) {
    Buffer file(bytes.begin() + 1, bytes.end());
    for (std::size_t at = sizeof(plait_packed_header); at != 0;) at = repair_packed(file, at);
    return file;
  }
  Bytes plain = bytes.subspan(1);
  plait_packed_header head{};
  head.magic = PLAIT_PACKED_MAGIC;
  head.version = PLAIT_PACKED_VERSION;
  head.header_bytes = sizeof head;
  Buffer file;
  append(file, &head, sizeof head);
  put_blob(file, PLAIT_PACKED_DEFINITIONS, take(plain, take_count(plain)), 1);
  const std::size_t shapes = take_count(plain);
  put_blob(file, PLAIT_PACKED_SHAPES, take(plain, shapes * sizeof(plait_shape)),
           sizeof(plait_shape));
  while (!plain.empty()) put_events(file, plain);
  plait_packed_chunk end{};
  end.kind = PLAIT_PACKED_END;
  put_chunk(file, end, 0, {});
  return file;
}

Buffer unpacked(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const Buffer file{std::istreambuf_iterator<char>(in), {}};
  Buffer plain{1};
  plait_packed_chunk head{};
  for (std::size_t at = sizeof(plait_packed_header); read_at(file, at, head);
       at += sizeof head + head.stored_bytes) {
    const std::uint8_t* next = file.data() + at + sizeof head;
    const std::uint8_t* const end = next + head.stored_bytes;
    const auto frame = [&](std::size_t bytes) {
      Buffer content(bytes);
      const std::size_t size =
          ZSTD_findFrameCompressedSize(next, static_cast<std::size_t>(end - next));
      ZSTD_decompress(content.data(), bytes, next, size);
      next += size;
      return content;
    };
    if (head.kind == PLAIT_PACKED_DEFINITIONS || head.kind == PLAIT_PACKED_SHAPES) {
      append(plain, &head.items, sizeof head.items);
      const std::size_t of_item = head.kind == PLAIT_PACKED_SHAPES ? sizeof(plait_shape) : 1;
      const Buffer content = frame(head.items * of_item);
      append(plain, content.data(), content.size());
    } else if (head.kind == PLAIT_PACKED_EVENTS) {
      append(plain, &head, sizeof head);
      for (const std::size_t count : {head.items, head.items, head.items, head.words}) {
        Buffer column(count * sizeof(std::uint32_t));
        for (std::size_t byte = 0; byte < sizeof(std::uint32_t); ++byte) {
          const Buffer plane = frame(count);
          for (std::size_t i = 0; i < count; ++i) column[i * 4 + byte] = plane[i];
        }
        append(plain, column.data(), column.size());
      }
    }
  }
  return plain;
}

}  // namespace plait::fuzz
