// SPDX-License-Identifier: BSD-3-Clause
// Findings on memory and files.
#include "report/resource_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/severity.hpp"
#include "report/total_wall.hpp"
#include "text/counted.hpp"
#include "text/ratio.hpp"
#include "text/units.hpp"

namespace plait::report {
namespace {

constexpr double kUneven = 1.5;            // times the mean of the ranks
constexpr double kUnevenBytes = 64 << 20;  // above the mean
constexpr double kNearLimit = 0.85, kAtLimit = 0.95;
constexpr double kTime = 0.01;                   // of the ranks' own time
constexpr std::uint64_t kManyCalls = 1000;       // fewer are not worth a change
constexpr double kMostlySmall = 0.5;             // of the calls
constexpr std::uint64_t kSharedBytes = 1 << 16;  // less may be a log

std::optional<Finding> uneven_memory(const Profile& profile) {
  const auto& ranks = profile.memory.ranks;
  if (ranks.size() < 2) return {};
  const auto peak = [](const MemoryRankRow& rank) { return static_cast<double>(rank.peak); };
  double mean = 0;
  for (const MemoryRankRow& rank : ranks) mean += peak(rank);
  mean /= static_cast<double>(ranks.size());
  const auto most = std::max_element(
      ranks.begin(), ranks.end(), [&](const auto& a, const auto& b) { return peak(a) < peak(b); });
  const double others = (mean * static_cast<double>(ranks.size()) - peak(*most)) /
                        static_cast<double>(ranks.size() - 1);
  if (peak(*most) < kUneven * others || peak(*most) - others < kUnevenBytes) return {};
  return Finding{
      "memory_uneven",
      "low",
      fmt::format("rank {} uses {} times the memory of the others", most->rank,
                  format_ratio(peak(*most) / others)),
      fmt::format("peak {}, the others {} on average", format_bytes(most->peak),
                  format_bytes(others)),
      fmt::format("{} more on {}", format_bytes(peak(*most) - others), most->host),
      fmt::format("distribute what only rank {} holds, or read and write it in parts", most->rank)};
}

std::optional<Finding> near_limit(const Profile& profile) {
  const MemoryHostRow* fullest = nullptr;
  double most = kNearLimit;
  for (const MemoryHostRow& host : profile.memory.hosts) {
    const double part =
        host.limit > 0 ? static_cast<double>(host.peak) / static_cast<double>(host.limit) : 0;
    if (part < most) continue;
    most = part;
    fullest = &host;
  }
  if (fullest == nullptr) return {};
  return Finding{"memory_limit",
                 most >= kAtLimit ? "high" : "medium",
                 fmt::format("memory on {} is at {} of its limit", fullest->host,
                             format_percent(std::min(1.0, most))),
                 fmt::format("{} of {} of {}", format_bytes(fullest->peak),
                             format_bytes(fullest->limit), fullest->limit_name),
                 "beyond it the kernel swaps, or ends processes",
                 "start fewer ranks per node, or give the job more memory"};
}

std::optional<Finding> growing_memory(const Profile& profile) {
  const auto& ranks = profile.memory.ranks;
  const auto most = std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) {
    return a.growth_per_s < b.growth_per_s;
  });
  if (most == ranks.end() || most->growth_per_s <= 0) return {};
  const auto growing = std::count_if(ranks.begin(), ranks.end(),
                                     [](const auto& rank) { return rank.growth_per_s > 0; });
  std::string cost = fmt::format("{} per hour and rank", format_bytes(most->growth_per_s * 3600));
  for (const MemoryHostRow& host : profile.memory.hosts) {
    if (host.host != most->host || host.limit <= host.peak) continue;
    double per_s = 0;
    for (const MemoryRankRow& rank : ranks) {
      if (rank.host == host.host) per_s += rank.growth_per_s;
    }
    cost = fmt::format("{} of {} is full in {}", format_bytes(host.limit), host.limit_name,
                       format_seconds(static_cast<double>(host.limit - host.peak) / per_s));
  }
  return Finding{"memory_growth",
                 "medium",
                 growing > 1 ? fmt::format("memory grows steadily on {}", counted(growing, "rank"))
                             : fmt::format("memory of rank {} grows steadily", most->rank),
                 fmt::format("rank {}: {} per s, {} at the end", most->rank,
                             format_bytes(most->growth_per_s), format_bytes(most->resident)),
                 cost,
                 profile.memory.heap
                     ? fmt::format("free what each step allocates: {} of the heap are not freed",
                                   format_bytes(most->heap_live))
                     : "run with --memory, which shows whether the heap grows"};
}

/// A file whose calls of one direction are mostly small.
struct SmallCalls {
  const IoFileRow* file = nullptr;
  const char* what = "";  ///< "writes", "reads"
  std::uint64_t calls = 0, small = 0;
  double time_s = 0;
};

SmallCalls small_calls(const IoFileRow& file, bool writes) {
  const IoSumsRow& sums = writes ? file.write : file.read;
  const auto& sizes = writes ? file.write_sizes : file.read_sizes;
  SmallCalls found{&file, writes ? "writes" : "reads", sums.calls, 0, sums.time_s};
  for (std::size_t i = 0; i < std::min<std::size_t>(2, sizes.size()); ++i) found.small += sizes[i];
  return found;
}

std::optional<Finding> small_io(const Profile& profile) {
  const double wall = total_wall(profile);
  SmallCalls worst;
  for (const IoFileRow& file : profile.io.files) {
    // Streams have a buffer, and MPI's own calls are not the program's choice.
    if (file.kind == "stdio" || file.kind == "in_mpi") continue;
    for (const bool writes : {true, false}) {
      const SmallCalls found = small_calls(file, writes);
      if (found.small < kManyCalls || found.time_s <= worst.time_s ||
          static_cast<double>(found.small) < kMostlySmall * static_cast<double>(found.calls)) {
        continue;
      }
      worst = found;
    }
  }
  if (worst.file == nullptr || wall <= 0 || worst.time_s < kTime * total_own_wall(profile))
    return {};
  const double share = worst.time_s / wall;
  return Finding{
      "io_small",
      severity_of(share),
      fmt::format("{} small {}", format_count(worst.small), worst.what),
      fmt::format("{} of {} {} of {} have less than 4 KiB", format_count(worst.small),
                  format_count(worst.calls), worst.what, worst.file->path),
      fmt::format("{} of the ranks' time", format_percent(share)),
      worst.file->kind == "mpi"
          ? "use collective calls with a file view (MPI_File_set_view, MPI_File_write_all)"
          : "collect data in a buffer of 1 MiB or more (setvbuf, or an array of your own)",
      share};
}

std::optional<Finding> shared_file(const Profile& profile) {
  const double wall = total_wall(profile);
  const IoFileRow* worst = nullptr;
  for (const IoFileRow& file : profile.io.files) {
    const bool own = file.kind == "posix" || file.kind == "stdio";
    if (!own || file.writers < 2 || file.write.bytes < kSharedBytes) continue;
    if (file.path.empty() || file.path.starts_with("/dev") || file.path.starts_with("/proc")) {
      continue;
    }
    if (worst == nullptr || file.write.time_s > worst->write.time_s) worst = &file;
  }
  if (worst == nullptr || wall <= 0) return {};
  const double share = worst->write.time_s / wall;
  const bool all = worst->writers == profile.world_size;
  return Finding{
      "io_shared_file",
      severity_of(share),
      fmt::format("{} the same file without MPI-IO",
                  all ? "all ranks write" : fmt::format("{} ranks write", worst->writers)),
      fmt::format("{}: {} in {}", worst->path, format_bytes(worst->write.bytes),
                  counted(worst->write.calls, "write")),
      fmt::format("{} of the ranks' time; ranks wait for each other's locks",
                  format_percent(share)),
      "write it with MPI_File_write_at_all, or one file per node or rank",
      share};
}

std::optional<Finding> metadata(const Profile& profile) {
  const double wall = total_wall(profile);
  std::uint64_t calls = 0;
  double seconds = 0;
  const IoFileRow* most = nullptr;
  for (const IoFileRow& file : profile.io.files) {
    if (file.kind == "in_mpi") continue;
    const double own = file.open.time_s + file.close.time_s + file.meta.time_s;
    calls += file.open.calls + file.meta.calls;
    seconds += own;
    if (most == nullptr || own > most->open.time_s + most->close.time_s + most->meta.time_s) {
      most = &file;
    }
  }
  if (most == nullptr || calls < kManyCalls || wall <= 0 ||
      seconds < kTime * total_own_wall(profile))
    return {};
  const double share = seconds / wall;
  return Finding{"io_metadata",
                 severity_of(share),
                 "opening and examining files takes time",
                 fmt::format("{} of open, stat and the like, most for {}", counted(calls, "call"),
                             most->path.empty() ? "files without names" : most->path),
                 fmt::format("{} of the ranks' time", format_percent(share)),
                 "keep files open, open them on one rank and broadcast, or use fewer, larger files",
                 share};
}

}  // namespace

std::vector<Finding> resource_findings(const Profile& profile) {
  std::vector<Finding> findings;
  for (const auto& rule :
       {uneven_memory, near_limit, growing_memory, small_io, shared_file, metadata}) {
    if (std::optional<Finding> found = rule(profile)) findings.push_back(std::move(*found));
  }
  return findings;
}

}  // namespace plait::report
