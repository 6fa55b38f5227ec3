// SPDX-License-Identifier: BSD-3-Clause
// Packs event files: splits columns into byte planes and compresses each.
#include "trace/pack.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <system_error>

#include "base/failure.hpp"
#include "plait/error.hpp"
#include "trace/clocks.hpp"
#include "trace/container.hpp"
#include "trace/crc.hpp"
#include "trace/definitions_json.hpp"
#include "trace/packed_format.h"
#include "trace/trace_files.hpp"

namespace plait::trace {

namespace {

namespace fs = std::filesystem;

/// Higher levels take ten times as long and save 2 %, because the low bytes of times are noise.
constexpr int kLevel = 3;

/// Writes chunks to a packed file.
class PackedWriter {
public:
  explicit PackedWriter(const fs::path& file)
      : file_(file), out_(file, std::ios::binary), context_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {
    if (!out_ || !context_) {
      fail();
    }
  }

  void header(const ProcessDefinitions& definitions) {
    plait_packed_header head{};
    head.magic = PLAIT_PACKED_MAGIC;
    head.version = PLAIT_PACKED_VERSION;
    head.header_bytes = sizeof head;
    head.world_rank = definitions.world_rank;
    head.pid = definitions.pid;
    put(&head, sizeof head);
  }

  void blob(plait_packed_kind kind, std::span<const std::byte> bytes, std::size_t items) {
    plait_packed_chunk head{};
    head.kind = kind;
    head.items = static_cast<std::uint32_t>(items);
    begin();
    if (kind != PLAIT_PACKED_END) {
      compress(bytes);
    }
    end(head);
  }

  void events(const EventChunk& chunk) {
    plait_packed_chunk head{};
    head.kind = PLAIT_PACKED_EVENTS;
    head.thread = chunk.thread;
    head.tid = chunk.tid;
    head.omp_thread = chunk.omp_thread;
    head.first_ticks = chunk.first_ticks;
    head.first_request = chunk.first_request;
    head.items = static_cast<std::uint32_t>(chunk.shape.size());
    head.words = static_cast<std::uint32_t>(chunk.words.size());
    begin();
    for (const auto& column : {chunk.shape, chunk.gap, chunk.duration, chunk.words}) {
      plane_.resize(column.size());
      for (int shift = 0; shift < 32; shift += 8) {
        std::ranges::transform(column, plane_.begin(), [shift](std::uint32_t entry) {
          return static_cast<std::byte>(entry >> shift);
        });
        compress(plane_);
      }
    }
    end(head);
  }

  /// @returns the size of the file
  std::uint64_t close() {
    out_.close();
    if (!out_) {
      fail();
    }
    return written_;
  }

private:
  [[noreturn]] void fail() const {
    throw Failure(file_.string(), fmt::format("cannot be written ({})", std::strerror(errno)),
                  "free disk space; the recorded trace is kept");
  }

  void begin() {
    stored_.clear();
    plain_bytes_ = 0;
  }

  void compress(std::span<const std::byte> bytes) {
    const std::size_t before = stored_.size();
    stored_.resize(before + ZSTD_compressBound(bytes.size()));
    const std::size_t size =
        ZSTD_compressCCtx(context_.get(), stored_.data() + before, stored_.size() - before,
                          bytes.data(), bytes.size(), kLevel);
    if (ZSTD_isError(size) != 0) {
      throw Failure(file_.string(), fmt::format("cannot be packed ({})", ZSTD_getErrorName(size)),
                    "");
    }
    stored_.resize(before + size);
    plain_bytes_ += bytes.size();
  }

  void end(plait_packed_chunk head) {
    const std::size_t least = (plain_bytes_ + PLAIT_PACKED_RATIO - 1) / PLAIT_PACKED_RATIO;
    stored_.resize(std::max(stored_.size(), least));
    head.magic = PLAIT_PACKED_CHUNK_MAGIC;
    head.stored_bytes = stored_.size();
    constexpr std::size_t kCovered = offsetof(plait_packed_chunk, kind);
    covered_.resize(sizeof head - kCovered);
    std::memcpy(covered_.data(), reinterpret_cast<const std::byte*>(&head) + kCovered,
                covered_.size());
    covered_.insert(covered_.end(), stored_.begin(), stored_.end());
    head.crc = crc32(covered_);
    put(&head, sizeof head);
    put(stored_.data(), stored_.size());
  }

  void put(const void* bytes, std::size_t count) {
    if (!out_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count))) {
      fail();
    }
    written_ += count;
  }

  fs::path file_;
  std::ofstream out_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
  std::vector<std::byte> plane_, stored_, covered_;
  std::size_t plain_bytes_ = 0;  // of the chunk, before compression
  std::uint64_t written_ = 0;
};

/// Packs the raw event files of a run.
class RunPacker {
public:
  explicit RunPacker(const fs::path& run_dir)
      : final_(run_dir / "trace"), part_(run_dir / "trace.part"), raw_(raw_event_files(run_dir)) {}

  PackResult pack(const std::function<void(std::size_t, std::size_t)>& progress) {
    if (raw_.empty()) {
      return {};
    }
    fs::remove_all(part_);  // of a command that was killed
    fs::create_directory(part_);
    std::vector<fs::path> packed;
    for (std::size_t done = 0; done < raw_.size(); ++done) {
      try {
        std::unique_ptr<EventSource> source = open_raw_events(raw_[done]);
        pack_one(*source, raw_[done]);
        packed.push_back(raw_[done]);
      } catch (const Unwritable& unwritable) {
        fs::remove_all(part_);
        throw unwritable.error;
      } catch (const Error& error) {
        result_.problems.emplace_back(error.what());
      }
      progress(done + 1, raw_.size());
    }
    finish(packed);
    return std::move(result_);
  }

private:
  struct Unwritable {
    Error error;
  };

  void pack_one(EventSource& source, const fs::path& raw) {
    const ProcessDefinitions& process = source.definitions();
    // In a job that spawns, several processes have the same rank; helpers that never initialize
    // have no rank.
    const std::size_t number = ++ranks_[process.world_rank];
    const std::string rank =
        process.world_rank < 0 ? "none" : fmt::format("{}", process.world_rank);
    const std::string name =
        number == 1 ? rank + ".ptrace" : fmt::format("{}-{}.ptrace", rank, number);
    for (std::size_t index = 0; index < source.chunk_count(); ++index) {
      result_.events += source.chunk_events(index);
    }
    try {
      result_.bytes += pack_events(source, part_ / name);
    } catch (const Error& error) {
      throw Unwritable{error};
    }
    ++result_.files;
    result_.raw_bytes += find_record_file(raw).value_or(RecordPlace{}).bytes;
    result_.lost_events += process.lost_events;
    result_.overwritten_events += process.overwritten_events;
    result_.overhead_ns_per_event =
        std::max(result_.overhead_ns_per_event, process.overhead_ns_per_event);
    const auto& problems = source.problems();
    result_.problems.insert(result_.problems.end(), problems.begin(), problems.end());
    ProcessDefinitions clock;  // only what the alignment needs
    clock.world_rank = process.world_rank;
    clock.host = process.host;
    clock.clock = process.clock;
    clocks_.push_back(std::move(clock));
  }

  void finish(const std::vector<fs::path>& packed) {
    if (packed.empty()) {
      fs::remove_all(part_);
      return;
    }
    fs::rename(part_, final_);
    remove_record_files(packed);
    std::ranges::sort(clocks_, {}, &ProcessDefinitions::world_rank);
    std::vector<const ProcessDefinitions*> processes;
    std::set<std::string> hosts;
    for (const ProcessDefinitions& process : clocks_) {
      processes.push_back(&process);
      hosts.insert(process.host);
    }
    const Alignment aligned = align_clocks(processes);
    result_.clock_error_s = aligned.error_s;
    result_.hosts = hosts.size();
    result_.problems.insert(result_.problems.end(), aligned.problems.begin(),
                            aligned.problems.end());
  }

  fs::path final_, part_;
  std::vector<fs::path> raw_;
  std::map<int, std::size_t> ranks_;  // how many processes of each
  std::vector<ProcessDefinitions> clocks_;
  PackResult result_;
};

}  // namespace

std::uint64_t pack_events(EventSource& from, const fs::path& to) {
  PackedWriter writer(to);
  writer.header(from.definitions());
  const std::string definitions = definitions_to_json(from);
  writer.blob(PLAIT_PACKED_DEFINITIONS, std::as_bytes(std::span(definitions)), definitions.size());
  writer.blob(PLAIT_PACKED_SHAPES, std::as_bytes(from.shapes()), from.shapes().size());
  for (std::size_t index = 0; index < from.chunk_count(); ++index) {
    writer.events(from.chunk(index));
  }
  writer.blob(PLAIT_PACKED_END, {}, 0);
  return writer.close();
}

PackResult pack_trace(const fs::path& run_dir,
                      const std::function<void(std::size_t, std::size_t)>& progress) {
  try {
    return RunPacker(run_dir).pack(progress);
  } catch (const fs::filesystem_error& error) {
    throw Failure(run_dir.string(), fmt::format("cannot be packed ({})", error.what()),
                  "the recorded trace is kept");
  }
}

}  // namespace plait::trace
