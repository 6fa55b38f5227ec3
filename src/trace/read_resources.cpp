// SPDX-License-Identifier: BSD-3-Clause
// Reads counters, memory, files and energy of a record.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "trace/rank_record.hpp"
#include "trace/record_bytes.hpp"

namespace plait::trace {
namespace {

/// A plait_memory_sample as earlier versions wrote it.
struct SampleWithoutFiles {
  std::uint64_t ticks, resident, shared;
};

/// The bytes of a plait_memory_record as earlier versions wrote it.
using MemoryWithoutTimes = std::array<char, offsetof(plait_memory_record, user_us)>;

std::uint64_t since(const std::uint64_t (&samples)[2]) {
  return samples[1] > samples[0] ? samples[1] - samples[0] : 0;
}

CounterValue counter_value(const plait_counter_value& at) {
  return {static_cast<double>(at.value), static_cast<double>(at.enabled_ns) * 1e-9,
          static_cast<double>(at.running_ns) * 1e-9};
}

void read_counters(RecordBytes& in, RankRecord& out) {
  for (const auto& at : in.table<plait_counter_record>(PLAIT_SECTION_COUNTERS)) {
    out.counters.push_back({in.string(at.name), at.type, at.config, at.threads, at.failures,
                            at.error, at.user_only != 0});
  }
  const std::size_t counters = out.counters.size();
  if (counters > PLAIT_MOST_COUNTERS) in.damaged(fmt::format("it has {} counters", counters));
  const double reading_ns = in.header().counter_reading_ns;
  if (!(reading_ns >= 0 && reading_ns < 1e9)) {
    in.damaged(fmt::format("reading its counters takes {} ns", reading_ns));
  }
  out.counter_reading_ns = reading_ns;
  for (const auto& at : in.table<plait_counter_sums>(PLAIT_SECTION_COUNTER_SUMS)) {
    CounterSums sums;
    sums.tid = at.tid;
    sums.omp_thread = std::max(-1, at.omp_thread);
    sums.region = at.region <= out.regions.size() ? static_cast<int>(at.region) - 1 : -1;
    sums.readings = at.readings;
    sums.outside_s = in.seconds(at.ticks[0]);
    sums.inside_s = in.seconds(at.ticks[1]);
    for (std::size_t i = 0; i < counters; ++i) {
      sums.outside.push_back(counter_value(at.values[0][i]));
      sums.inside.push_back(counter_value(at.values[1][i]));
    }
    out.counter_sums.push_back(std::move(sums));
  }
}

/// Some readings of threads over time.
void read_readings(RecordBytes& in, RankRecord& out) {
  for (const auto& at : in.table<plait_counter_value>(PLAIT_SECTION_COUNTER_TOTALS)) {
    out.counter_totals.push_back(counter_value(at));
  }
  const std::size_t values = 2 * out.counters.size();
  for (const auto& at : in.table<plait_counter_reading>(PLAIT_SECTION_COUNTER_READINGS)) {
    if (at.first_total + values > out.counter_totals.size()) {
      in.damaged(fmt::format("a reading of its counters has the values from {} on, of {}",
                             at.first_total, out.counter_totals.size()));
    }
    out.counter_readings.push_back({at.ticks, at.thread, at.first_total, in.seconds(at.in_ticks[0]),
                                    in.seconds(at.in_ticks[1])});
  }
}

/// @param has_times  false: of an earlier version
std::vector<plait_memory_record> memory_records(const RecordBytes& in, bool has_times) {
  if (has_times) return in.table<plait_memory_record>(PLAIT_SECTION_MEMORY);
  std::vector<plait_memory_record> records;
  for (const auto& bytes : in.table<MemoryWithoutTimes>(PLAIT_SECTION_MEMORY)) {
    std::memcpy(&records.emplace_back(), bytes.data(), bytes.size());
  }
  return records;
}

void read_memory(RecordBytes& in, RankRecord& out) {
  const bool has_times = in.entry_bytes(PLAIT_SECTION_MEMORY) != sizeof(MemoryWithoutTimes);
  const std::vector<plait_memory_record> memory = memory_records(in, has_times);
  if (memory.size() > 1)
    in.damaged(fmt::format("it has the memory of {} processes", memory.size()));
  for (const auto& at : memory) {
    out.memory = ProcessMemory{at.peak,
                               at.resident,
                               at.anonymous,
                               at.shared,
                               at.node,
                               at.limit,
                               since(at.minor_faults),
                               since(at.major_faults),
                               since(at.read_chars),
                               since(at.write_chars),
                               since(at.read_bytes),
                               since(at.write_bytes),
                               at.heap_observed != 0,
                               {at.allocations, at.frees, at.allocated, at.heap_live, at.heap_peak,
                                in.since_load(at.heap_peak_ticks)},
                               {}};
    if (!has_times) continue;
    constexpr double us = 1e-6;
    out.memory->cpu = CpuTimes{us * static_cast<double>(since(at.user_us)),
                               us * static_cast<double>(since(at.system_us))};
  }
  if (in.entry_bytes(PLAIT_SECTION_MEMORY_SAMPLES) == sizeof(SampleWithoutFiles)) {
    for (const auto& at : in.table<SampleWithoutFiles>(PLAIT_SECTION_MEMORY_SAMPLES)) {
      out.memory_samples.push_back({in.since_load(at.ticks), at.resident, at.shared});
    }
    return;
  }
  for (const auto& at : in.table<plait_memory_sample>(PLAIT_SECTION_MEMORY_SAMPLES)) {
    out.memory_samples.push_back(
        {in.since_load(at.ticks), at.resident, at.shared, at.read, at.written});
  }
}

void read_files(RecordBytes& in, RankRecord& out) {
  for (const auto& at : in.table<plait_file_record>(PLAIT_SECTION_FILES)) {
    if (at.kind >= PLAIT_FILE_KINDS) in.damaged(fmt::format("a file is of kind {}", at.kind));
    FileUse file;
    file.path = in.string(at.path);
    file.kind = static_cast<plait_file_kind>(at.kind);
    file.first_s = in.since_load(at.first_ticks);
    file.last_s = in.since_load(at.last_ticks);
    for (std::size_t i = 0; i < PLAIT_IO_OPERATIONS; ++i) {
      const plait_io_sums& sums = at.operations[i];
      file.operations[i] = {sums.calls, sums.failures, sums.bytes, in.seconds(sums.ticks),
                            in.seconds(sums.max_ticks)};
    }
    std::copy_n(at.sizes[0], PLAIT_IO_SIZES, file.reads.begin());
    std::copy_n(at.sizes[1], PLAIT_IO_SIZES, file.writes.begin());
    out.files.push_back(std::move(file));
  }
}

}  // namespace

void read_resources(RecordBytes& in, RankRecord& out) {
  read_counters(in, out);
  read_readings(in, out);
  read_memory(in, out);
  read_files(in, out);
  for (const auto& at : in.table<plait_energy_record>(PLAIT_SECTION_ENERGY)) {
    out.energy.push_back({in.string(at.name), static_cast<double>(at.used_uj) * 1e-6});
  }
}

}  // namespace plait::trace
