// SPDX-License-Identifier: BSD-3-Clause
// The recorded events of one process, from a raw or a packed file: definitions, shapes, chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace/event_format.h"
#include "trace/rank_record.hpp"

namespace plait::trace {

struct FunctionName {
  std::string name;
  bool collective = false;
};

/// Converts ticks of a process to seconds of its host's monotonic clock, and these to seconds of
/// the reference host's.
struct ProcessClock {
  plait_clock_kind kind = PLAIT_CLOCK_TSC;
  double ticks_per_s = 0;              ///< see RecordBytes::ticks_per_s
  plait_clock_sample first{}, last{};  ///< at load, and the latest
  plait_clock_offset at_init{}, at_finalize{};
};

/// What events refer to by index, and what applies to all of them.
struct ProcessDefinitions {
  int world_rank = -1;
  int world_size = -1;
  int pid = 0;
  std::string host;
  bool complete = false;  ///< Finalize was reached
  plait_trace_mode mode = PLAIT_TRACE_FULL;
  bool checking = false;
  std::string traced_ranks;  ///< of --trace-ranks; empty: all ranks keep a trace
  std::uint64_t init_end_ticks = 0;
  ProcessClock clock;
  std::vector<FunctionName> functions;
  std::vector<Site> sites;            ///< 0: unknown
  std::vector<Communicator> comms;    ///< 0: none
  std::vector<UserRegion> regions;    ///< name and parent only
  std::vector<CodeAddress> parallel;  ///< OpenMP regions
  std::uint64_t lost_events = 0, overwritten_events = 0;
  double overhead_ns_per_event = 0;
};

/// The columns of a chunk; event_format.h describes them.
struct EventChunk {
  std::uint32_t thread = 0;  ///< number in the file
  int tid = 0;
  int omp_thread = -1;
  std::uint64_t first_ticks = 0;
  std::uint64_t first_request = 0;
  std::span<const std::uint32_t> shape, gap, duration, words;
};

/// The events of one process in chunks, ordered by thread and then by time.
class EventSource {
public:
  virtual ~EventSource() = default;

  [[nodiscard]] const ProcessDefinitions& definitions() const { return definitions_; }
  [[nodiscard]] std::span<const plait_shape> shapes() const { return shapes_; }
  /// Sentences: what could not be read, and why.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  /// The first problem because of which events are missing that were recorded; empty: none.
  [[nodiscard]] const std::string& damage() const { return damage_; }

  [[nodiscard]] virtual std::size_t chunk_count() const = 0;
  /// The number of events in a chunk; does not read the chunk.
  [[nodiscard]] virtual std::uint64_t chunk_events(std::size_t index) const = 0;
  /// The columns of a chunk, valid until the next call. A damaged chunk is returned empty and added
  /// to problems() and damage().
  virtual EventChunk chunk(std::size_t index) = 0;

protected:
  /// A chunk without columns, with the thread and first values of a chunk's header.
  template <class Header>
  static EventChunk chunk_of(const Header& at) {
    EventChunk chunk;
    chunk.thread = at.thread;
    chunk.tid = at.tid;
    chunk.omp_thread = at.omp_thread;
    chunk.first_ticks = at.first_ticks;
    chunk.first_request = at.first_request;
    return chunk;
  }

  /// Adds a problem that is also damage.
  void add_damage(const std::string& problem) {
    problems_.push_back(problem);
    if (damage_.empty()) damage_ = problem;
  }

  ProcessDefinitions definitions_;
  std::vector<plait_shape> shapes_;
  std::vector<std::string> problems_;
  std::string damage_;
};

/// Opens a raw event file, HOST-PID.evt, which may be compressed, and the record beside it.
/// @throws Error when it is not an event file, has another version, or its record cannot be read.
std::unique_ptr<EventSource> open_raw_events(const std::filesystem::path& file);

/// Opens a packed trace, RANK.ptrace.
/// @throws Error when it is not a packed trace, has another version, or has no definitions.
std::unique_ptr<EventSource> open_packed_events(const std::filesystem::path& file);

}  // namespace plait::trace
