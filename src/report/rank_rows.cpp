// SPDX-License-Identifier: BSD-3-Clause
// The time of each rank, and the OpenMP and user regions of all ranks.
#include "report/rank_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "report/site_text.hpp"
#include "trace/frame_text.hpp"

namespace plait::report {
namespace {

/// Time and calls of a thread in MPI, without MPI_Init and MPI_Finalize.
struct ThreadMpi {
  double seconds = 0;
  std::uint64_t calls = 0;
};

std::vector<ThreadMpi> mpi_by_thread(const trace::RankRecord& record) {
  std::vector<ThreadMpi> threads(record.threads.size());
  for (const trace::CallEntry& call : record.calls) {
    if (starts_or_ends_mpi(call.function.text()) || call.thread >= threads.size()) continue;
    threads[call.thread].seconds += call.time_s;
    threads[call.thread].calls += call.count;
  }
  return threads;
}

/// The thread whose time is that of the rank: the main thread if it calls MPI, otherwise the one
/// with most time in MPI. Null without calls.
const trace::MpiThread* calling_thread(const trace::RankRecord& record, double& mpi_s) {
  const std::vector<ThreadMpi> threads = mpi_by_thread(record);
  const trace::MpiThread* calling = nullptr;
  mpi_s = 0;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const bool is_main = record.threads[i].tid == record.pid && threads[i].calls > 0;
    if (!is_main && threads[i].seconds <= mpi_s) continue;
    calling = &record.threads[i];
    mpi_s = threads[i].seconds;
    if (is_main) break;
  }
  return calling;
}

double finalize_time(const trace::RankRecord& record) {
  double seconds = 0;
  for (const trace::CallEntry& call : record.calls) {
    if (call.function == "MPI_Finalize") seconds += call.time_s;
  }
  return seconds;
}

/// Of the time that the calling thread waited for a CPU inside MPI: what it waited in calls within
/// parallel regions, whose waiting time includes it. Regions and MPI overlap by what together
/// exceeds the run.
double mpi_wait_in_regions(const trace::RankRecord& record, const trace::MpiThread& calling,
                           const RankRow& row) {
  double regions_s = 0;
  for (const trace::ParallelRegion& region : record.parallel_regions) regions_s += region.time_s;
  const double overlap_s = std::clamp(regions_s + row.mpi_s - row.wall_s, 0.0, row.mpi_s);
  return overlap_s > 0 ? calling.mpi_wait_s * overlap_s / row.mpi_s : 0;
}

void add_cpu_times(const trace::RankRecord& record, RankRow& row) {
  std::map<int, trace::CpuWaitSample> begins;  // by thread
  for (const trace::CpuWaitSample& sample : record.cpu_wait) {
    if (!sample.at_end) begins[sample.tid] = sample;
  }
  for (const trace::CpuWaitSample& end : record.cpu_wait) {
    if (!end.at_end) continue;
    const trace::CpuWaitSample& begin = begins[end.tid];
    const auto since = [](auto now, auto before) { return now > before ? now - before : 0; };
    row.cpu_s += since(end.cpu_s, begin.cpu_s);
    row.cpu_wait_s += since(end.wait_s, begin.wait_s);
    row.voluntary_switches += since(end.voluntary, begin.voluntary);
    row.involuntary_switches += since(end.involuntary, begin.involuntary);
  }
}

std::string view_name(plait_openmp_view view) {
  switch (view) {
    case PLAIT_OPENMP_GOMP:
      return "gomp";
    case PLAIT_OPENMP_OMPT:
      return "ompt";
    case PLAIT_OPENMP_BLIND:
      return "not measured";
    case PLAIT_OPENMP_NOT_SEEN:
      break;
  }
  return "no OpenMP";
}

}  // namespace

std::string region_name(const std::vector<trace::UserRegion>& regions, std::size_t index) {
  constexpr int kMostLevels = 32;  // more do not fit into a table
  std::string name = regions[index].name;
  int levels = 0;
  for (int parent = regions[index].parent; parent >= 0 && ++levels < kMostLevels;) {
    const trace::UserRegion& outer = regions.at(static_cast<std::size_t>(parent));
    name = outer.name + "/" + name;
    parent = outer.parent;
  }
  return name;
}

std::string state_name(plait_record_state state) {
  switch (state) {
    case PLAIT_STATE_INITIALIZED:
      return "initialized";
    case PLAIT_STATE_FINALIZED:
      return "finalized";
    case PLAIT_STATE_EXITED:
      return "exited";
    case PLAIT_STATE_LOADED:
      break;
  }
  return "loaded";
}

RankRow rank_row(const trace::RankRecord& record) {
  RankRow row;
  row.rank = record.world_rank;
  row.host = record.host;
  row.pid = record.pid;
  row.state = state_name(record.state);
  row.wall_s =
      std::max(0.0, record.last_s - record.init_end_s - finalize_time(record) - record.paused_s);
  double mpi_s = 0;
  const trace::MpiThread* calling = calling_thread(record, mpi_s);
  row.mpi_s = std::min(row.wall_s, mpi_s);
  double idle = 0;
  double wait = 0;
  for (const trace::OmpThread& thread : record.omp_threads) {
    idle += thread.idle_s;
    const bool calls = calling != nullptr && thread.tid == calling->tid;
    const double in_mpi = calls ? mpi_wait_in_regions(record, *calling, row) : 0;
    wait += std::max(0.0, thread.wait_s - in_mpi);
  }
  row.threads = std::max(1, static_cast<int>(record.omp_threads.size()));
  // Idle time of a thread that calls MPI in a region would count twice; it counts as MPI.
  row.omp_idle_s = std::min(row.wall_s - row.mpi_s, idle / row.threads);
  row.compute_s = std::max(0.0, row.wall_s - row.mpi_s - row.omp_idle_s);
  // The calling thread's wait in regions is part of both.
  wait = std::max(wait / row.threads, calling == nullptr ? 0 : calling->outside_wait_s);
  row.compute_wait_s = std::min(row.compute_s, wait);
  if (calling != nullptr) row.mpi_wait_s = std::min(row.mpi_s, calling->mpi_wait_s);
  for (const trace::CallEntry& call : record.calls) {
    row.calls += call.count;
    row.bytes += call.bytes;
  }
  add_cpu_times(record, row);
  return row;
}

OpenMp openmp_of(const Job& job, const trace::Symbolizer& symbolizer) {
  OpenMp openmp;
  plait_openmp_view view = PLAIT_OPENMP_NOT_SEEN;
  struct Sum {
    const trace::ParallelRegion* region = nullptr;
    OmpRegionRow row;
  };
  std::map<std::pair<std::string, std::uint64_t>, Sum> regions;
  for (const trace::RankRecord* record : job.ranks) {
    // One rank whose OpenMP was not measured makes the whole run not measured.
    view = std::max(view, record->openmp_view);
    if (openmp.runtime.empty()) openmp.runtime = record->omp_runtime;
    for (const trace::OmpThread& thread : record->omp_threads) {
      openmp.threads.push_back(
          {record->world_rank, thread.thread, thread.busy_s, thread.idle_s, thread.wait_s});
    }
    for (const trace::ParallelRegion& region : record->parallel_regions) {
      Sum& sum = regions[{region.address.module, region.address.offset}];
      sum.region = &region;
      sum.row.threads += region.mean_threads * static_cast<double>(region.count);
      sum.row.count += region.count;
      sum.row.time_s += region.time_s;
      sum.row.busy_s += region.busy_s;
      sum.row.idle_s += region.idle_s;
      sum.row.cpu_wait_s += region.wait_s;
    }
  }
  openmp.measured = view_name(view);
  for (auto& [address, sum] : regions) {
    const std::vector<Frame> frames = symbolizer.frames(sum.region->address);
    // libgomp's address is the entry of the outlined body, so inlined frames are not its name.
    const Frame& frame = view == PLAIT_OPENMP_GOMP ? frames.back() : frames.front();
    sum.row.function = frame.function.empty() ? trace::site_place({frame}) : frame.function;
    sum.row.file = frame.file;
    sum.row.line = frame.line;
    if (sum.row.count > 0) sum.row.threads /= static_cast<double>(sum.row.count);
    openmp.regions.push_back(sum.row);
  }
  std::stable_sort(openmp.regions.begin(), openmp.regions.end(),
                   [](const auto& a, const auto& b) { return a.time_s > b.time_s; });
  return openmp;
}

std::vector<RegionRow> user_regions(const Job& job) {
  std::map<std::string, RegionRow> merged;
  for (const trace::RankRecord* record : job.ranks) {
    std::map<std::string, bool> seen;
    for (std::size_t i = 0; i < record->regions.size(); ++i) {
      const std::string name = region_name(record->regions, i);
      RegionRow& row = merged[name];
      row.name = name;
      row.count += record->regions[i].count;
      row.time_s += record->regions[i].time_s;
      row.mpi_s += record->regions[i].mpi_s;
      if (!seen[name]) ++row.ranks;
      seen[name] = true;
    }
  }
  std::vector<RegionRow> rows;
  for (auto& [name, row] : merged) rows.push_back(std::move(row));
  return rows;
}

}  // namespace plait::report
