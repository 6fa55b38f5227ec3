// SPDX-License-Identifier: BSD-3-Clause
// Maps a record file and checks magic, version, sizes, tables, strings and clock.
#include "trace/record_bytes.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <optional>
#include <utility>

#include "plait/error.hpp"
#include "trace/container.hpp"

namespace plait::trace {

std::string valid_utf8(std::string text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80                   ? 1
                               : byte >= 0xc2 && byte < 0xe0 ? 2
                               : byte >= 0xe0 && byte < 0xf0 ? 3
                               : byte >= 0xf0 && byte < 0xf5 ? 4
                                                             : 0;
    bool good = length > 0 && i + length <= text.size();
    for (std::size_t k = 1; good && k < length; ++k) {
      good = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    }
    if (good && length >= 3) {  // overlong forms, surrogates and beyond U+10FFFF
      const auto second = static_cast<unsigned char>(text[i + 1]);
      good = !(byte == 0xe0 && second < 0xa0) && !(byte == 0xed && second > 0x9f) &&
             !(byte == 0xf0 && second < 0x90) && !(byte == 0xf4 && second > 0x8f);
    }
    if (good) {
      i += length;
    } else {
      text[i++] = '?';
    }
  }
  return text;
}

namespace {

constexpr std::uint32_t kOldestVersion = 3;

/// The bytes of tables that headers of earlier versions do not have: the last ones.
std::size_t missing_tables(const plait_record_header& header) {
  const std::size_t tables = header.version >= 6 ? 0 : header.version >= 4 ? 1 : 3;
  return tables * sizeof(plait_section_header);
}

/// The size of the header that a file with this header has.
std::size_t header_bytes(const plait_record_header& header) {
  return sizeof header - missing_tables(header);
}

/// What the file has of a header, in the form of the newest version; zeros behind its end.
plait_record_header header_in(const std::filesystem::path& file) {
  plait_record_header header{};
  // A file that is still written grows meanwhile: its bytes are not limited to those of now.
  const std::optional<RecordPlace> place = find_record_file(file);
  std::ifstream in(place ? place->file : file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(place ? place->offset : 0));
  const std::uint64_t most = place && place->crc ? place->bytes : sizeof header;
  in.read(reinterpret_cast<char*>(&header),
          static_cast<std::streamsize>(std::min<std::uint64_t>(most, sizeof header)));
  if (const std::size_t missing = missing_tables(header)) {
    constexpr std::size_t end = offsetof(plait_record_header, paused_ticks);
    auto* const bytes = reinterpret_cast<std::byte*>(&header);
    std::memmove(bytes + end, bytes + end - missing, sizeof header - end);
    std::memset(bytes + end - missing, 0, missing);
  }
  return header;
}

}  // namespace

RecordBytes::RecordBytes(std::filesystem::path file)
    : file_(std::move(file)),
      header_(header_in(file_)),
      mapped_(file_),
      bytes_(mapped_.bytes()),
      copies_(bytes_.size()) {
  std::uint64_t magic = 0;
  if (bytes_.size() >= sizeof magic) {
    std::memcpy(&magic, bytes_.data(), sizeof magic);
  }
  if (magic != PLAIT_RECORD_MAGIC) {
    throw Error(file_.string(),
                bytes_.empty() || (magic == 0 && bytes_.size() >= sizeof magic)
                    ? "empty: its process ended before it wrote anything"
                    : "not a record file of Plait",
                "run the program again under plait run");
  }
  if (bytes_.size() < header_bytes(header_)) {
    damaged(fmt::format("it is cut off within its header, after {} bytes", bytes_.size()));
  }
  check_header();
  strings_ = table<char>(PLAIT_SECTION_STRINGS);
  find_clock();
}

void RecordBytes::damaged(const std::string& how) const {
  throw Error(file_.string(), "damaged: " + how, "run the program again under plait run");
}

void RecordBytes::check_header() {
  if (header_.version < kOldestVersion || header_.version > PLAIT_RECORD_VERSION) {
    throw Error(file_.string(),
                fmt::format("has record version {}, but this Plait reads versions {} to {}",
                            header_.version, kOldestVersion, PLAIT_RECORD_VERSION),
                "read it with the version of Plait that ran the program");
  }
  if (header_.header_bytes < header_bytes(header_)) {
    damaged(fmt::format("its header has {} bytes", header_.header_bytes));
  }
  if (header_.file_bytes > bytes_.size()) {
    damaged(fmt::format("it is cut off after {} of {} bytes", bytes_.size(), header_.file_bytes));
  }
  if (header_.state < PLAIT_STATE_LOADED || header_.state > PLAIT_STATE_EXITED) {
    damaged(fmt::format("its state is {}", header_.state));
  }
}

plait_part RecordBytes::part_of(plait_section section, std::uint64_t index,
                                std::size_t entry_bytes) const {
  const plait_section_header& at = header_.sections[section];
  if (at.entry_bytes != entry_bytes) {
    damaged(fmt::format("entries of table {} have {} bytes instead of {}",
                        static_cast<int>(section), at.entry_bytes, entry_bytes));
  }
  const plait_part part = plait_part_of(at.capacity, index);
  if (part.room == 0 || part.number >= PLAIT_MOST_PARTS || part_offset(section, part) == 0) {
    damaged(fmt::format("table {} has {} entries but only {} fit", static_cast<int>(section),
                        at.count, part.first));
  }
  return part;
}

void RecordBytes::check_range(std::uint64_t offset, std::uint64_t count, std::size_t entry_bytes,
                              std::size_t alignment) const {
  if (offset > bytes_.size() || count > (bytes_.size() - offset) / entry_bytes) {
    damaged(fmt::format("{} entries of {} bytes at offset {} exceed its {} bytes", count,
                        entry_bytes, offset, bytes_.size()));
  }
  if (offset % alignment != 0) {
    damaged(fmt::format("a table begins at the misaligned offset {}", offset));
  }
}

void RecordBytes::take(std::uint64_t bytes) {
  if (!copies_.take(bytes)) {
    damaged("its entries refer to the same text or ranks too often");
  }
}

std::string RecordBytes::string(std::uint32_t offset) {
  if (offset >= strings_.size()) {
    return {};
  }
  const auto* begin = strings_.data() + offset;
  const std::size_t length = ::strnlen(begin, strings_.size() - offset);
  take(length);
  return valid_utf8(std::string(begin, length));
}

void RecordBytes::find_clock() {
  if (header_.clock_kind < PLAIT_CLOCK_TSC || header_.clock_kind > PLAIT_CLOCK_CNTVCT) {
    damaged(fmt::format("its kind of clock is {}", header_.clock_kind));
  }
  // A killed process has no last sample; one that never reached MPI_Init has only the calibration
  // at load.
  constexpr double shortest_base_ns = 10e6;  // below this the calibration at load is as good
  const plait_clock_sample& first = header_.at_load;
  for (const plait_clock_sample* last :
       {&header_.at_last, &header_.at_init_end, &header_.at_init_begin}) {
    const double elapsed_ns =
        static_cast<double>(last->monotonic_ns) - static_cast<double>(first.monotonic_ns);
    if (last->ticks > first.ticks && elapsed_ns >= shortest_base_ns) {
      ticks_per_s_ = static_cast<double>(last->ticks - first.ticks) / elapsed_ns * 1e9;
      break;
    }
  }
  if (ticks_per_s_ == 0) {
    ticks_per_s_ = header_.clock_kind == PLAIT_CLOCK_MONOTONIC_NS ? 1e9 : header_.ticks_per_s;
  }
  if (!(ticks_per_s_ > 1e3 && ticks_per_s_ < 1e12)) {
    damaged(fmt::format("its clock has {} ticks per second", ticks_per_s_));
  }
}

}  // namespace plait::trace
