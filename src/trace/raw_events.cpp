// SPDX-License-Identifier: BSD-3-Clause
// Opens the event file of a preloaded process, which may have been killed at any time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>

#include "plait/error.hpp"
#include "trace/clocks.hpp"
#include "trace/crc.hpp"
#include "trace/event_bytes.hpp"
#include "trace/event_source.hpp"
#include "trace/record_bytes.hpp"
#include "trace/trace_files.hpp"

namespace plait::trace {

namespace {

/// The definitions that a record file has for the events beside it.
ProcessDefinitions definitions_of(const std::filesystem::path& file) {
  RankRecord record = read_record(file);
  RecordBytes bytes(file);
  const plait_record_header& head = bytes.header();
  ProcessDefinitions out;
  out.world_rank = record.world_rank;
  out.world_size = record.world_size;
  out.pid = record.pid;
  out.host = std::move(record.host);
  out.complete = record.state == PLAIT_STATE_FINALIZED;
  out.init_end_ticks = head.at_init_end.ticks;
  out.clock.kind = static_cast<plait_clock_kind>(head.clock_kind);
  out.clock.ticks_per_s = bytes.ticks_per_s();
  out.clock.first = head.at_load;
  out.clock.last = std::max({head.at_init_begin, head.at_init_end, head.at_last},
                            [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
  for (const auto& at : bytes.table<plait_function_record>(PLAIT_SECTION_FUNCTIONS)) {
    out.functions.push_back({bytes.string(at.name), at.is_coll != 0});
  }
  out.sites = std::move(record.sites);
  out.comms = std::move(record.comms);
  out.regions = std::move(record.regions);
  for (ParallelRegion& region : record.parallel_regions) {
    out.parallel.push_back(std::move(region.address));
  }
  return out;
}

class RawEvents final : public EventSource {
public:
  explicit RawEvents(const std::filesystem::path& file) : file_(file), bytes_(file) {
    read_header();
    definitions_ = definitions_of(std::filesystem::path(file).replace_extension(".rec"));
    definitions_.mode = static_cast<plait_trace_mode>(header_.mode);
    definitions_.checking = header_.checking != 0;
    definitions_.traced_ranks.assign(header_.ranks, strnlen(header_.ranks, sizeof header_.ranks));
    definitions_.lost_events = header_.lost_events;
    definitions_.overwritten_events = header_.overwritten_events;
    definitions_.overhead_ns_per_event = header_.overhead_ns_per_event;
    definitions_.clock.at_init = header_.at_init;
    definitions_.clock.at_finalize = header_.at_finalize;
    find_chunks();
  }

  [[nodiscard]] std::size_t chunk_count() const override { return events_.size(); }
  [[nodiscard]] std::uint64_t chunk_events(std::size_t index) const override {
    return events_[index].header.events;
  }

  EventChunk chunk(std::size_t index) override {
    const Place& place = events_[index];
    const plait_chunk_header& at = place.header;
    EventChunk out = chunk_of(at);
    const Data data = data_of(place);
    if (!data) {
      add_damage(fmt::format("{}: a chunk of {} events cannot be decompressed; it was left out",
                             file_.string(), at.events));
      return out;
    }
    out.shape = column(*data, 0, at.events);
    out.gap = column(*data, at.capacity, at.events);
    out.duration = column(*data, 2 * std::size_t{at.capacity}, at.events);
    out.words = column(*data, 3 * std::size_t{at.capacity}, at.words);
    return out;
  }

private:
  struct Place {
    plait_chunk_header header;
    std::uint64_t offset;
  };

  /// What follows the header of a chunk, valid until the next call; nothing when it cannot be
  /// decompressed.
  using Data = std::optional<std::span<const std::byte>>;
  Data data_of(const Place& place) {
    const std::span<const std::byte> all = bytes_.view(place.offset, used_bytes(place.header));
    if (all.empty()) return {};
    return all.subspan(sizeof place.header);
  }

  [[noreturn]] void damaged(const std::string& how) const {
    throw Error(file_.string(), "damaged: " + how, kRecordAgain);
  }

  void read_header() {
    const std::uint64_t held = std::min<std::uint64_t>(bytes_.size(), sizeof header_);
    const auto bytes = held > 0 ? bytes_.view(0, held) : std::span<const std::byte>();
    if (bytes.empty() && bytes_.compressed()) damaged("its first piece cannot be decompressed");
    std::uint64_t magic = 0;
    if (bytes.size() >= sizeof magic) {
      std::memcpy(&magic, bytes.data(), sizeof magic);
    }
    if (magic != PLAIT_EVENTS_MAGIC) {
      throw Error(file_.string(),
                  magic == 0 ? "empty: its process ended before it wrote anything"
                             : "not an event file of Plait",
                  kRecordAgain);
    }
    if (bytes.size() < sizeof header_) {
      damaged(fmt::format("it is cut off within its header, after {} bytes", bytes.size()));
    }
    std::memcpy(&header_, bytes.data(), sizeof header_);
    if (header_.version != PLAIT_EVENTS_VERSION) {
      throw Error(file_.string(),
                  fmt::format("has event version {}, but this Plait reads version {}",
                              header_.version, PLAIT_EVENTS_VERSION),
                  "read it with the version of Plait that ran the program");
    }
    const bool expands = header_.chunk_bytes >= PLAIT_EVENTS_LEAST_CHUNK &&
                         header_.chunk_bytes <= PLAIT_EVENTS_PIECE;
    if (header_.header_bytes < sizeof header_ || header_.header_bytes % 8 != 0 ||
        header_.chunk_bytes <= sizeof(plait_chunk_header) || header_.chunk_bytes % 8 != 0 ||
        (bytes_.compressed() && !expands)) {
      damaged(fmt::format("its header gives {} bytes, and {} for a chunk", header_.header_bytes,
                          header_.chunk_bytes));
    }
    if (header_.mode != PLAIT_TRACE_FULL && header_.mode != PLAIT_TRACE_RING) {
      damaged(fmt::format("its mode is {}", header_.mode));
    }
    if (!is_possible(header_.at_init) || !is_possible(header_.at_finalize) ||
        !(std::abs(header_.overhead_ns_per_event) < 1e9)) {
      damaged("its clock offsets or its cost of an event are impossible");
    }
  }

  static std::span<const std::uint32_t> column(std::span<const std::byte> data, std::size_t first,
                                               std::size_t count) {
    const std::byte* begin = data.data() + first * sizeof(std::uint32_t);
    return {reinterpret_cast<const std::uint32_t*>(begin), count};
  }

  void find_chunks() {
    std::vector<Place> shape_chunks;
    std::uint64_t invalid = 0, cut = 0, failed = 0, unreadable = 0;
    for (std::uint64_t number = 0; number < header_.chunks; ++number) {
      const std::uint64_t at = header_.header_bytes + number * header_.chunk_bytes;
      if (at + sizeof(plait_chunk_header) > bytes_.size()) {
        cut += header_.chunks - number;
        break;
      }
      Place place{};
      const std::span<const std::byte> head = bytes_.view(at, sizeof place.header);
      if (head.empty()) {
        ++unreadable;
        continue;
      }
      std::memcpy(&place.header, head.data(), sizeof place.header);
      place.offset = at;
      if (place.header.magic == 0) {
        continue;  // reserved but not yet started
      }
      const std::uint64_t used = used_bytes(place.header);
      if (place.header.magic != PLAIT_CHUNK_MAGIC || used == 0 || used > header_.chunk_bytes) {
        ++invalid;
      } else if (at + used > bytes_.size()) {
        ++cut;
      } else if (const Data data = data_of(place); !data) {
        ++unreadable;
      } else if (place.header.closed != 0 && checksum(place.header, *data) != place.header.crc) {
        ++failed;
      } else {
        (place.header.kind == PLAIT_CHUNK_SHAPES ? shape_chunks : events_).push_back(place);
      }
    }
    report(invalid, "have no valid header");
    report(cut, "are missing because the file is cut off");
    report(failed, "fail their checksum");
    report(unreadable, "cannot be decompressed");
    const auto order = [](const Place& at) {
      return std::tuple(at.header.thread, at.header.sequence, at.header.closed == 0);
    };
    std::ranges::sort(events_, {}, order);
    // A process that is killed while it closes a chunk leaves two copies.
    const auto again =
        std::unique(events_.begin(), events_.end(), [](const Place& a, const Place& b) {
          return a.header.thread == b.header.thread && a.header.sequence == b.header.sequence;
        });
    events_.erase(again, events_.end());
    read_shapes(shape_chunks);
    bytes_.release();
  }

  void report(std::uint64_t count, const char* what) {
    if (count > 0) {
      add_damage(fmt::format("{}: {} of {} chunks {}; they were left out", file_.string(), count,
                             header_.chunks, what));
    }
  }

  /// The bytes of a chunk, including its header and unused ends of columns; 0: invalid header.
  static std::uint64_t used_bytes(const plait_chunk_header& at) {
    if (at.kind == PLAIT_CHUNK_SHAPES) {
      return sizeof at + at.events * std::uint64_t{sizeof(plait_shape)};
    }
    const bool fits =
        at.kind == PLAIT_CHUNK_EVENTS && at.events <= at.capacity && at.words <= at.word_capacity;
    return fits ? sizeof at + (3 * std::uint64_t{at.capacity} + at.words) * sizeof(std::uint32_t)
                : 0;
  }

  /// For events, the checksum of the columns' checksums.
  static std::uint32_t checksum(const plait_chunk_header& at, std::span<const std::byte> data) {
    if (at.kind == PLAIT_CHUNK_SHAPES) return crc32c(data);
    const std::size_t capacity = at.capacity;
    const std::array<std::uint32_t, 4> columns = {
        crc32c(std::as_bytes(column(data, 0, at.events))),
        crc32c(std::as_bytes(column(data, capacity, at.events))),
        crc32c(std::as_bytes(column(data, 2 * capacity, at.events))),
        crc32c(std::as_bytes(column(data, 3 * capacity, at.words)))};
    return crc32c(std::as_bytes(std::span(columns)));
  }

  /// Shapes are numbered through all their chunks, so those after a missing chunk cannot be used.
  void read_shapes(std::vector<Place>& chunks) {
    std::ranges::sort(chunks, {}, [](const Place& at) { return at.header.sequence; });
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Data data = data_of(chunks[i]);
      if (!data || chunks[i].header.sequence != i + 1) {
        add_damage(fmt::format(
            "{}: a chunk of shapes is missing; events that need it were left out", file_.string()));
        break;
      }
      const std::size_t before = shapes_.size();
      shapes_.resize(before + chunks[i].header.events);
      std::memcpy(shapes_.data() + before, data->data(), data->size());
    }
  }

  std::filesystem::path file_;
  EventBytes bytes_;
  plait_events_header header_{};
  std::vector<Place> events_;
};

}  // namespace

std::unique_ptr<EventSource> open_raw_events(const std::filesystem::path& file) {
  return std::make_unique<RawEvents>(file);
}

}  // namespace plait::trace
