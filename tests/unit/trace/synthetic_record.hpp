// SPDX-License-Identifier: BSD-3-Clause
// Writes record files as a preloaded process would, table by table, for tests of the reader.
#pragma once

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "trace/record_format.h"

namespace plait::trace::test {

/// A record in memory. Its clock has 2e9 ticks per second, and 1000 at load.
class SyntheticRecord {
public:
  /// @param room           bytes for all tables
  /// @param string_bytes   of these, for strings
  explicit SyntheticRecord(std::size_t room = 1 << 16, std::uint32_t string_bytes = 4096)
      : bytes_(sizeof(plait_record_header) + room) {
    plait_record_header& head = header();
    head.magic = PLAIT_RECORD_MAGIC;
    head.version = PLAIT_RECORD_VERSION;
    head.header_bytes = sizeof(plait_record_header);
    head.state = PLAIT_STATE_EXITED;
    head.abi = PLAIT_ABI_OPENMPI;
    head.clock_kind = PLAIT_CLOCK_TSC;
    head.world_rank = 0;
    head.world_size = 1;
    head.ticks_per_s = 2e9;
    head.at_load = {1000, 1'700'000'000'000'000'000, 5'000'000'000};
    next_ = sizeof(plait_record_header);
    head.sections[PLAIT_SECTION_STRINGS] = {next_, 1, string_bytes, 1, 0, {}};
    next_ += string_bytes;
    head.file_bytes = bytes_.size();
  }

  plait_record_header& header() { return *reinterpret_cast<plait_record_header*>(bytes_.data()); }

  std::uint32_t string(const std::string& text) {
    plait_section_header& strings = header().sections[PLAIT_SECTION_STRINGS];
    const std::uint32_t at = strings.count;
    std::memcpy(bytes_.data() + strings.offset + at, text.c_str(), text.size() + 1);
    strings.count += static_cast<std::uint32_t>(text.size()) + 1;
    return at;
  }

  /// Appends `entries` and returns their offset.
  template <class Entry>
  std::uint64_t place(const std::vector<Entry>& entries) {
    const std::uint64_t at = next_;
    if (!entries.empty()) {
      std::memcpy(bytes_.data() + at, entries.data(), entries.size() * sizeof(Entry));
    }
    next_ += (entries.size() * sizeof(Entry) + 63) / 64 * 64;
    return at;
  }

  template <class Entry>
  void table(plait_section section, const std::vector<Entry>& entries) {
    const auto count = static_cast<std::uint32_t>(entries.size());
    header().sections[section] = {place(entries), sizeof(Entry), count, count, 0, {}};
  }

  /// Writes the record as an earlier version, without the last tables: 1 in versions 4 and 5, 3 in
  /// version 3.
  void write_earlier(const std::filesystem::path& file, std::uint32_t version) const {
    constexpr std::size_t end = offsetof(plait_record_header, paused_ticks);
    const std::size_t added = (version == 3 ? 3 : 1) * sizeof(plait_section_header);
    SyntheticRecord earlier = *this;
    earlier.header().version = version;
    earlier.header().header_bytes = sizeof(plait_record_header) - added;
    char* const bytes = earlier.bytes_.data();
    std::memmove(bytes + end - added, bytes + end, sizeof(plait_record_header) - end);
    earlier.write(file);
  }

  /// Writes the first `bytes` (all by default) to `file`.
  void write(const std::filesystem::path& file, std::size_t bytes = std::string::npos) const {
    std::ofstream out(file, std::ios::binary);
    out.write(bytes_.data(), static_cast<std::streamsize>(std::min(bytes, bytes_.size())));
  }

  [[nodiscard]] const std::vector<char>& bytes() const { return bytes_; }

private:
  std::vector<char> bytes_;
  std::uint64_t next_ = 0;
};

}  // namespace plait::trace::test
