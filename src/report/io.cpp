// SPDX-License-Identifier: BSD-3-Clause
// Calls for files of all ranks, by file and by rank.
#include <algorithm>
#include <filesystem>
#include <map>

#include "report/resources.hpp"
#include "report/series.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kMostFiles = 2000;

const char* kind_name(plait_file_kind kind) {
  switch (kind) {
    case PLAIT_FILE_STDIO:
      return "stdio";
    case PLAIT_FILE_IN_MPI:
      return "in_mpi";
    case PLAIT_FILE_MPI:
      return "mpi";
    default:
      return "posix";
  }
}

void add(IoSumsRow& to, const trace::IoSums& from) {
  to.calls += from.calls;
  to.failures += from.failures;
  to.bytes += from.bytes;
  to.time_s += from.time_s;
  to.max_s = std::max(to.max_s, from.max_s);
}

double time_of(const trace::FileUse& file) {
  double seconds = 0;
  for (const trace::IoSums& sums : file.operations) seconds += sums.time_s;
  return seconds;
}

template <std::size_t n>
void add_sizes(std::vector<std::uint64_t>& to, const std::array<std::uint64_t, n>& from) {
  to.resize(n);
  for (std::size_t i = 0; i < n; ++i) to[i] += from[i];
}

using FileKey = std::pair<std::string, plait_file_kind>;

/// The files of a rank by normal path: the program may have several names for one.
std::map<FileKey, trace::FileUse> files_of(const trace::RankRecord& record) {
  std::map<FileKey, trace::FileUse> files;
  for (const trace::FileUse& file : record.files) {
    const std::string path = std::filesystem::path(file.path).lexically_normal().string();
    const auto [at, added] = files.try_emplace({path, file.kind}, file);
    at->second.path = path;
    if (added) continue;
    trace::FileUse& sum = at->second;
    for (std::size_t i = 0; i < PLAIT_IO_OPERATIONS; ++i) {
      const trace::IoSums& from = file.operations[i];
      trace::IoSums& to = sum.operations[i];
      to = {to.calls + from.calls, to.failures + from.failures, to.bytes + from.bytes,
            to.time_s + from.time_s, std::max(to.max_s, from.max_s)};
    }
    for (std::size_t i = 0; i < PLAIT_IO_SIZES; ++i) {
      sum.reads[i] += file.reads[i];
      sum.writes[i] += file.writes[i];
    }
  }
  return files;
}

void add_file(const trace::FileUse& file, int rank, IoFileRow& row) {
  IoSumsRow* const operations[PLAIT_IO_OPERATIONS] = {&row.open, &row.close, &row.read, &row.write,
                                                      &row.seek, &row.sync,  &row.meta};
  for (std::size_t i = 0; i < PLAIT_IO_OPERATIONS; ++i) add(*operations[i], file.operations[i]);
  add_sizes(row.read_sizes, file.reads);
  add_sizes(row.write_sizes, file.writes);
  ++row.ranks;
  if (file.operations[PLAIT_IO_WRITE].calls > 0) ++row.writers;
  const double seconds = time_of(file);
  row.time_s += seconds;
  if (row.slowest_rank >= 0 && seconds <= row.slowest_s) return;
  row.slowest_rank = rank;
  row.slowest_s = seconds;
}

/// What samples of a record say about the bytes moved between them.
std::vector<std::array<double, 3>> moved_points(const trace::RankRecord& record) {
  std::vector<std::array<double, 3>> points;
  trace::MemorySample before;
  const auto since = [](std::uint64_t now, std::uint64_t then) {
    return now > then ? static_cast<double>(now - then) : 0.0;
  };
  for (const std::size_t i : thinned(record.memory_samples.size())) {
    const trace::MemorySample& at = record.memory_samples[i];
    points.push_back({std::max(0.0, at.at_s - record.init_end_s), since(at.read, before.read),
                      since(at.written, before.written)});
    before = at;
  }
  return points;
}

/// Adds the series of a rank if its samples have such bytes, which earlier versions did not write.
void add_series(const trace::RankRecord& record, Io& io) {
  if (record.files.empty() || record.memory_samples.empty()) return;
  const trace::MemorySample& last = record.memory_samples.back();
  if (last.read + last.written == 0) return;
  if (io.series.size() == kMostSeries) {
    ++io.without_series;
  } else {
    io.series.push_back({record.world_rank, moved_points(record)});
  }
}

}  // namespace

IoSumsRow all_calls(const IoFileRow& file) {
  IoSumsRow sum;
  for (const IoSumsRow* one :
       {&file.open, &file.close, &file.read, &file.write, &file.seek, &file.sync, &file.meta}) {
    add(sum, {one->calls, one->failures, one->bytes, one->time_s, one->max_s});
  }
  return sum;
}

Io io_of(const Job& job) {
  Io io;
  std::map<FileKey, IoFileRow> files;
  for (const trace::RankRecord* record : job.ranks) {
    IoRankRow row;
    row.rank = record->world_rank;
    if (record->memory) {
      row.process_read = record->memory->read_chars;
      row.process_written = record->memory->write_chars;
      row.disk_read = record->memory->read_bytes;
      row.disk_written = record->memory->write_bytes;
    }
    for (const auto& [key, file] : files_of(*record)) {
      io.measured = true;
      IoFileRow& sum = files[key];
      sum.path = file.path;
      sum.kind = kind_name(file.kind);
      add_file(file, record->world_rank, sum);
      if (file.kind == PLAIT_FILE_IN_MPI) continue;  // part of calls of MPI-IO, or MPI's own
      row.time_s += time_of(file);
      for (const trace::IoSums& operation : file.operations) row.calls += operation.calls;
      row.read += file.operations[PLAIT_IO_READ].bytes;
      row.written += file.operations[PLAIT_IO_WRITE].bytes;
    }
    if (record->memory || !record->files.empty()) io.ranks.push_back(row);
    add_series(*record, io);
  }
  for (auto& [key, row] : files) io.files.push_back(std::move(row));
  std::stable_sort(io.files.begin(), io.files.end(),
                   [](const auto& a, const auto& b) { return a.time_s > b.time_s; });
  if (io.files.size() > kMostFiles) {
    io.left_out = io.files.size() - kMostFiles;
    io.files.resize(kMostFiles);
  }
  return io;
}

}  // namespace plait::report
