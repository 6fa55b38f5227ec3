// SPDX-License-Identifier: BSD-3-Clause
// Writes event files as a preloaded process would, event by event, for tests of the reader.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "synthetic_record.hpp"
#include "trace/crc.hpp"
#include "trace/event_format.h"

namespace plait::trace::test {

/// An event file in memory with chunks of 4 KiB, and its record, for a world of `world_size`
/// processes with MPI_COMM_WORLD as communicator 1. A tick is half a nanosecond; the process was
/// loaded at tick 1000 and left Init at tick 2000.
class SyntheticEvents {
public:
  using Words = std::vector<std::uint32_t>;

  explicit SyntheticEvents(int world_rank = 0, int world_size = 1,
                           const std::string& host = "alpha")
      : bytes_(sizeof(plait_events_header)) {
    plait_events_header& head = header();
    head.magic = PLAIT_EVENTS_MAGIC;
    head.version = PLAIT_EVENTS_VERSION;
    head.header_bytes = sizeof(plait_events_header);
    head.chunk_bytes = kChunkBytes;
    head.mode = PLAIT_TRACE_FULL;
    head.pid = 100 + world_rank;
    head.overhead_ns_per_event = 12.5;
    plait_record_header& of = record.header();
    of.world_rank = world_rank;
    of.world_size = world_size;
    of.pid = head.pid;
    of.state = PLAIT_STATE_FINALIZED;
    of.host = record.string(host);
    of.at_init_end = {2000, of.at_load.realtime_ns + 500, of.at_load.monotonic_ns + 500};
    of.at_last = {2'000'001'000, of.at_load.realtime_ns + 1'000'000'000,
                  of.at_load.monotonic_ns + 1'000'000'000};
    file_name = host + "-" + std::to_string(head.pid);
    std::vector<std::int32_t> world;
    for (std::int32_t rank = 0; rank < world_size; ++rank) {
      world.push_back(rank);
    }
    world.push_back(0);  // so that {1, 0} can be expressed
    record.table(PLAIT_SECTION_RANKS, world);
    comms.push_back({});
    comms.push_back({record.string("MPI_COMM_WORLD"), world_size, world_rank, 0, 0, 0, 77});
  }

  plait_events_header& header() { return *reinterpret_cast<plait_events_header*>(bytes_.data()); }

  /// @returns the function's index in the record
  std::uint32_t function(const std::string& name) {
    functions.push_back({record.string(name), 0});
    return static_cast<std::uint32_t>(functions.size() - 1);
  }

  std::uint32_t shape(plait_shape_kind kind, int peer = PLAIT_NO_PEER, int tag = PLAIT_ANY_TAG,
                      std::uint32_t flags = 0, const std::string& name = "") {
    plait_shape made{};
    made.kind = kind;
    made.flags = flags;
    made.function = function(name.empty() ? "MPI_" + std::to_string(kind) : name);
    made.comm = 1;
    made.peer = peer;
    made.tag = tag;
    return shape(made);
  }
  std::uint32_t shape(const plait_shape& made) {
    shapes_.push_back(made);
    return static_cast<std::uint32_t>(shapes_.size() - 1);
  }

  /// Begins a chunk of events of a thread.
  void chunk(std::uint32_t thread = 0, std::uint64_t first_ticks = 2000,
             std::uint64_t first_request = 1) {
    finish();
    open_ = {};
    open_.magic = PLAIT_CHUNK_MAGIC;
    open_.kind = PLAIT_CHUNK_EVENTS;
    open_.closed = 1;
    open_.thread = thread;
    open_.tid = static_cast<std::int32_t>(500 + thread);
    open_.omp_thread = static_cast<std::int32_t>(thread);
    sequences_.resize(std::max<std::size_t>(sequences_.size(), thread + 1), 0);
    open_.sequence = ++sequences_[thread];
    open_.first_ticks = first_ticks;
    open_.first_request = first_request;
  }
  plait_chunk_header& open() { return open_; }

  void event(std::uint32_t coded_shape, std::uint32_t gap, std::uint32_t duration,
             const Words& words = {}) {
    columns_[0].push_back(coded_shape);
    columns_[1].push_back(gap);
    columns_[2].push_back(duration);
    columns_[3].insert(columns_[3].end(), words.begin(), words.end());
  }

  /// Ends the chunk, leaving `unused` entries in each column.
  void finish(std::uint32_t unused = 0) {
    if (open_.magic == 0) {
      return;
    }
    open_.events = static_cast<std::uint32_t>(columns_[0].size());
    open_.words = static_cast<std::uint32_t>(columns_[3].size());
    open_.capacity = open_.events + unused;
    open_.word_capacity = open_.words + unused;
    std::uint32_t crcs[4];
    for (int i = 0; i < 4; ++i) {
      crcs[i] = crc32c(std::as_bytes(std::span(columns_[i])));
      columns_[i].resize(columns_[i].size() + unused, 0xdeadbeef);
    }
    open_.crc = open_.closed != 0 ? crc32c(std::as_bytes(std::span(crcs))) : 0;
    std::vector<char> place(sizeof open_);
    std::memcpy(place.data(), &open_, sizeof open_);
    for (Words& column : columns_) {
      const auto* begin = reinterpret_cast<const char*>(column.data());
      place.insert(place.end(), begin, begin + column.size() * sizeof(std::uint32_t));
      column.clear();
    }
    add_place(place);
    open_ = {};
  }

  /// Offset of a chunk in the file.
  static std::size_t place_of(std::size_t chunk) {
    return sizeof(plait_events_header) + chunk * kChunkBytes;
  }

  /// The bytes of the file, including its shapes.
  std::vector<char>& bytes() {
    finish();
    if (!has_shapes_) {
      has_shapes_ = true;
      plait_chunk_header head{};
      head.magic = PLAIT_CHUNK_MAGIC;
      head.kind = PLAIT_CHUNK_SHAPES;
      head.closed = 1;
      head.sequence = 1;
      head.events = static_cast<std::uint32_t>(shapes_.size());
      head.crc = crc32c(std::as_bytes(std::span(shapes_)));
      std::vector<char> place(sizeof head + shapes_.size() * sizeof(plait_shape));
      std::memcpy(place.data(), &head, sizeof head);
      if (!shapes_.empty()) {
        std::memcpy(place.data() + sizeof head, shapes_.data(),
                    shapes_.size() * sizeof(plait_shape));
      }
      add_place(place);
    }
    return bytes_;
  }

  /// Writes records/HOST-PID.evt and .rec below `run`.
  void write(const std::filesystem::path& run) {
    std::filesystem::create_directories(run / "records");
    record.table(PLAIT_SECTION_FUNCTIONS, functions);
    record.table(PLAIT_SECTION_COMMS, comms);
    record.write(run / "records" / (file_name + ".rec"));
    std::ofstream out(run / "records" / (file_name + ".evt"), std::ios::binary);
    out.write(bytes().data(), static_cast<std::streamsize>(bytes().size()));
  }

  SyntheticRecord record;
  std::vector<plait_function_record> functions;
  std::vector<plait_comm_record> comms;
  std::string file_name;

private:
  static constexpr std::size_t kChunkBytes = 4096;

  void add_place(const std::vector<char>& place) {
    const std::size_t begin = place_of(header().chunks++);
    bytes_.resize(begin);
    bytes_.insert(bytes_.end(), place.begin(), place.end());  // the last one may be short
  }

  std::vector<char> bytes_;
  std::vector<plait_shape> shapes_;
  bool has_shapes_ = false;
  plait_chunk_header open_{};
  Words columns_[4];
  std::vector<std::uint64_t> sequences_;
};

/// A folder that is deleted at the end of a test.
class RunFolder {
public:
  explicit RunFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("plait-" + name + "-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~RunFolder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

}  // namespace plait::trace::test
