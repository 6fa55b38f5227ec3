// SPDX-License-Identifier: BSD-3-Clause
// JSON of counters, memory and files.
#pragma once

#include "base/json.hpp"
#include "report/optional_json.hpp"
#include "report/resources.hpp"

namespace plait::report {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CounterEventRow, name, threads, failures, problem, user_only,
                                   counted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CounterRow, rank, thread, tid, region, outside_s, inside_s,
                                   outside, inside)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CounterRegionRow, region, ranks, outside_s, inside_s, outside,
                                   inside)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DerivedFigure, id, region, name, value, unit, bound, bound_name)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RooflinePoint, rank, region, intensity, gflops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RooflineBound, name, gbs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RooflinePeak, name, gflops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Roofline, points, bounds, peaks, missing)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EnergyRow, host, name, joules, watts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counters, events, regions, threads, derived, left_out, readings,
                                   reading_ns, overhead, energy, roofline)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryRankRow, rank, host, peak, resident, anonymous, shared,
                                   minor_faults, major_faults, growth_per_s, allocations, frees,
                                   allocated, heap_live, heap_peak, user_s, system_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryHostRow, host, ranks, peak, limit, limit_name)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemorySeries, rank, points)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Memory, heap, ranks, hosts, series, left_out)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(IoSumsRow, calls, failures, bytes, time_s, max_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(IoFileRow, path, kind, ranks, writers, open, close, read, write,
                                   seek, sync, meta, read_sizes, write_sizes, time_s, slowest_rank,
                                   slowest_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(IoRankRow, rank, time_s, calls, read, written, process_read,
                                   process_written, disk_read, disk_written)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(IoSeries, rank, points)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Io, measured, ranks, files, left_out, series, without_series)

}  // namespace plait::report
