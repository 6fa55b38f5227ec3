// SPDX-License-Identifier: BSD-3-Clause
// Counters, memory, files and energy for synthetic records.
#pragma once

#include "synthetic_record.hpp"

namespace plait::trace::test {

/// Two counters, of which the second counted half of the time and could not be opened for a thread,
/// in region 1 (the second), with two readings; memory with two samples; a file of the program and
/// one of MPI-IO; the energy of a package.
inline void add_resources(SyntheticRecord& record) {
  plait_counter_record cycles{};
  cycles.name = record.string("cycles");
  cycles.threads = 2;
  plait_counter_record misses = cycles;
  misses.name = record.string("cache-misses");
  misses.config = 3;
  misses.threads = 1;
  misses.failures = 1;
  misses.error = 24;
  misses.user_only = 1;
  record.table<plait_counter_record>(PLAIT_SECTION_COUNTERS, {cycles, misses});
  record.header().counter_reading_ns = 650;
  plait_counter_sums sums{};
  sums.tid = 42;
  sums.omp_thread = 0;
  sums.region = 2;
  sums.readings = 7;
  sums.ticks[0] = 4'000'000'000;
  sums.ticks[1] = 1'000'000'000;
  sums.values[0][0] = {6'000'000'000, 2'000'000'000, 2'000'000'000};
  sums.values[1][0] = {500'000'000, 500'000'000, 500'000'000};
  sums.values[0][1] = {1'000'000, 2'000'000'000, 1'000'000'000};
  record.table<plait_counter_sums>(PLAIT_SECTION_COUNTER_SUMS, {sums});
  std::vector<plait_counter_value> totals(8);
  totals[4] = sums.values[0][0];
  totals[6] = sums.values[1][0];
  record.table<plait_counter_value>(PLAIT_SECTION_COUNTER_TOTALS, totals);
  record.table<plait_counter_reading>(
      PLAIT_SECTION_COUNTER_READINGS,
      {{1000 + 2'000'000'000, 3, 0, {0, 0}},
       {1000 + 7'000'000'000, 3, 4, {4'000'000'000, 1'000'000'000}}});
  plait_memory_record memory{};
  memory.peak = 3ULL << 30;
  memory.resident = 2ULL << 30;
  memory.anonymous = 1ULL << 30;
  memory.shared = 1ULL << 29;
  memory.node = 64ULL << 30;
  memory.limit = 4ULL << 30;
  memory.minor_faults[0] = 1000;
  memory.minor_faults[1] = 5000;
  memory.major_faults[1] = 2;
  memory.write_chars[0] = 100;
  memory.write_chars[1] = 1100;
  memory.heap_observed = 1;
  memory.allocations = 90;
  memory.frees = 80;
  memory.allocated = 9000;
  memory.heap_live = 1000;
  memory.heap_peak = 2000;
  memory.heap_peak_ticks = 1000 + 4'000'000'000;
  memory.user_us[0] = 200'000;
  memory.user_us[1] = 1'700'000;
  memory.system_us[1] = 250'000;
  record.table<plait_memory_record>(PLAIT_SECTION_MEMORY, {memory});
  record.table<plait_memory_sample>(PLAIT_SECTION_MEMORY_SAMPLES,
                                    {{1000 + 2'000'000'000, 1 << 20, 1 << 10, 100, 20'000},
                                     {1000 + 4'000'000'000, 1 << 21, 1 << 10, 100, 50'000}});
  plait_file_record file{};
  file.path = record.string("/scratch/out.dat");
  file.first_ticks = 1000 + 2'000'000'000;
  file.last_ticks = 1000 + 6'000'000'000;
  file.operations[PLAIT_IO_OPEN] = {1, 0, 0, 2'000'000, 2'000'000};
  file.operations[PLAIT_IO_WRITE] = {500, 1, 50'000, 200'000'000, 4'000'000};
  file.sizes[1][0] = 499;
  plait_file_record shared = file;
  shared.kind = PLAIT_FILE_MPI;
  record.table<plait_file_record>(PLAIT_SECTION_FILES, {file, shared});
  record.table<plait_energy_record>(PLAIT_SECTION_ENERGY,
                                    {{record.string("package-0"), 0, 900, 1'000'000, 250'000'000}});
}

}  // namespace plait::trace::test
