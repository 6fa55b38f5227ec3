// SPDX-License-Identifier: BSD-3-Clause
// Opens a packed trace and decompresses its chunks.
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "plait/error.hpp"
#include "trace/crc.hpp"
#include "trace/definitions_json.hpp"
#include "trace/event_source.hpp"
#include "trace/mapped_file.hpp"
#include "trace/packed_format.h"
#include "trace/trace_files.hpp"

namespace plait::trace {

namespace {

class PackedEvents final : public EventSource {
public:
  explicit PackedEvents(const std::filesystem::path& file)
      : file_(file.string()), mapped_(file), bytes_(mapped_.bytes()) {
    read_header();
    find_chunks();
  }

  [[nodiscard]] std::size_t chunk_count() const override { return events_.size(); }
  [[nodiscard]] std::uint64_t chunk_events(std::size_t index) const override {
    return events_[index].header.items;
  }

  EventChunk chunk(std::size_t index) override {
    const plait_packed_chunk& at = events_[index].header;
    EventChunk out = chunk_of(at);
    if (!unpack(events_[index])) {
      add_damage(fmt::format("{}: a damaged chunk of {} events was left out", file_, at.items));
      return out;
    }
    const auto all = std::span<const std::uint32_t>(columns_);
    const std::size_t events = at.items;
    out.shape = all.subspan(0, events);
    out.gap = all.subspan(events, events);
    out.duration = all.subspan(2 * events, events);
    out.words = all.subspan(3 * events, at.words);
    return out;
  }

private:
  struct Place {
    plait_packed_chunk header;
    std::span<const std::byte> stored;
  };

  void read_header() {
    plait_packed_header head{};
    if (bytes_.size() >= sizeof head) {
      std::memcpy(&head, bytes_.data(), sizeof head);
    }
    if (head.magic != PLAIT_PACKED_MAGIC) {
      throw Error(file_, "not a packed trace of Plait", kRecordAgain);
    }
    if (head.version != PLAIT_PACKED_VERSION) {
      throw Error(file_,
                  fmt::format("has trace version {}, but this Plait reads version {}", head.version,
                              PLAIT_PACKED_VERSION),
                  "read it with the version of Plait that packed it");
    }
    next_ = std::max<std::size_t>(head.header_bytes, sizeof head);
  }

  void find_chunks() {
    bool has_definitions = false, ended = false;
    std::uint64_t damaged = 0;
    while (!ended && next_ < bytes_.size()) {
      Place place;
      if (!take(place)) {
        ++damaged;
        if (!skip_to_next()) {
          break;
        }
        continue;
      }
      switch (place.header.kind) {
        case PLAIT_PACKED_DEFINITIONS:
          read_definitions(place);
          has_definitions = true;
          break;
        case PLAIT_PACKED_SHAPES:
          read_shapes(place);
          break;
        case PLAIT_PACKED_EVENTS:
          if (may_have(place, plain_bytes(place))) {
            events_.push_back(place);
          } else {
            ++damaged;
          }
          break;
        case PLAIT_PACKED_END:
          ended = true;
          break;
        default:
          ++damaged;
      }
    }
    if (!has_definitions) {
      throw Error(file_, "damaged: its definitions are missing", kRecordAgain);
    }
    if (!ended) {
      add_damage(
          fmt::format("{} is cut off after {} complete chunks of events", file_, events_.size()));
    } else if (damaged > 0) {
      add_damage(
          fmt::format("{} is damaged in {} places; their contents were left out", file_, damaged));
    }
  }

  /// Takes the chunk at `next_`. Returns false, and keeps `next_`, when no complete chunk is there.
  /// Chunks that begin in the data of others cost time; after 4 times the file, none is taken.
  bool take(Place& place) {
    if (bytes_.size() - next_ < sizeof place.header) {
      return false;
    }
    std::memcpy(&place.header, bytes_.data() + next_, sizeof place.header);
    const std::size_t room = bytes_.size() - next_ - sizeof place.header;
    if (place.header.magic != PLAIT_PACKED_CHUNK_MAGIC || place.header.stored_bytes > room ||
        checked_bytes_ > 4 * bytes_.size()) {
      return false;
    }
    checked_bytes_ += place.header.stored_bytes;
    const auto stored = static_cast<std::size_t>(place.header.stored_bytes);
    constexpr std::size_t kCovered = offsetof(plait_packed_chunk, kind);
    if (crc32(bytes_.subspan(next_ + kCovered, sizeof place.header - kCovered + stored)) !=
        place.header.crc) {
      return false;
    }
    place.stored = bytes_.subspan(next_ + sizeof place.header, stored);
    next_ += sizeof place.header + stored;
    return true;
  }

  /// Moves `next_` to the next magic number of a chunk. Returns false when there is none.
  bool skip_to_next() {
    const std::uint32_t magic = PLAIT_PACKED_CHUNK_MAGIC;
    char text[sizeof magic];
    std::memcpy(text, &magic, sizeof magic);
    const std::string_view all(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    const std::size_t found = all.find(std::string_view(text, sizeof text), next_ + 1);
    next_ = found;
    return found != std::string_view::npos;
  }

  /// Decompresses consecutive frames of known sizes.
  class Frames {
  public:
    explicit Frames(std::span<const std::byte> stored) : stored_(stored) {}

    bool next(void* to, std::size_t bytes) {
      const std::size_t size = ZSTD_findFrameCompressedSize(stored_.data(), stored_.size());
      if (ZSTD_isError(size) != 0 || ZSTD_decompress(to, bytes, stored_.data(), size) != bytes) {
        return false;
      }
      stored_ = stored_.subspan(size);
      return true;
    }

  private:
    std::span<const std::byte> stored_;
  };

  /// True if the data of a chunk may decompress to so many bytes.
  static bool may_have(const Place& place, std::uint64_t bytes) {
    return bytes <= PLAIT_PACKED_RATIO * std::uint64_t{place.stored.size()};
  }

  /// Of a chunk of events.
  static std::uint64_t plain_bytes(const Place& place) {
    return (3 * std::uint64_t{place.header.items} + place.header.words) * sizeof(std::uint32_t);
  }

  void read_definitions(const Place& place) {
    std::string text;
    if (may_have(place, place.header.items)) text.resize(place.header.items);
    if (text.empty() || !Frames(place.stored).next(text.data(), text.size())) {
      throw Error(file_, "damaged: its definitions cannot be decompressed", kRecordAgain);
    }
    definitions_ = definitions_from_json(text, bytes_.size(), file_, problems_, damage_);
  }

  void read_shapes(const Place& place) {
    const std::uint64_t bytes = place.header.items * std::uint64_t{sizeof(plait_shape)};
    shapes_.clear();
    if (may_have(place, bytes)) shapes_.resize(place.header.items);
    if (shapes_.size() != place.header.items || !Frames(place.stored).next(shapes_.data(), bytes)) {
      add_damage(fmt::format("{}: its shapes are damaged", file_));
      shapes_.clear();
    }
  }

  /// Reassembles the columns from their byte planes.
  bool unpack(const Place& place) {
    const std::size_t events = place.header.items, words = place.header.words;
    columns_.assign(3 * events + words, 0);
    plane_.resize(std::max(events, words));
    Frames frames(place.stored);
    for (std::size_t plane = 0; plane < PLAIT_PACKED_PLANES; ++plane) {
      const std::size_t count = plane < 12 ? events : words;
      std::uint32_t* column = columns_.data() + plane / 4 * events;
      if (!frames.next(plane_.data(), count)) {
        return false;
      }
      const std::size_t shift = plane % 4 * 8;
      for (std::size_t i = 0; i < count; ++i) {
        column[i] |= std::uint32_t{plane_[i]} << shift;
      }
    }
    return true;
  }

  std::string file_;
  MappedFile mapped_;
  std::span<const std::byte> bytes_;
  std::size_t next_ = 0;
  std::uint64_t checked_bytes_ = 0;
  std::vector<Place> events_;
  std::vector<std::uint32_t> columns_;
  std::vector<std::uint8_t> plane_;
};

}  // namespace

std::unique_ptr<EventSource> open_packed_events(const std::filesystem::path& file) {
  return std::make_unique<PackedEvents>(file);
}

}  // namespace plait::trace
