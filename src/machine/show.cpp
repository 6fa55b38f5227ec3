// SPDX-License-Identifier: BSD-3-Clause
// Prints a machine as tables: counts, hardware threads, cache sharing, paths between cores.
#include "machine/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "machine/paths.hpp"
#include "machine/show_measured.hpp"
#include "machine/show_text.hpp"
#include "text/counted.hpp"

namespace plait::machine {
namespace {

using Out = std::back_insert_iterator<std::string>;

/// Nodes with more cores than this show only the first and last hardware threads.
constexpr std::size_t kSmallNodeCores = 32;

std::string ranges(const std::vector<int>& ids) {
  return CpuSet::of(ids).format();
}

/// Ranges, abridged to the width: "0-3,8 .. 120-127".
std::string fitting_ranges(const std::vector<int>& ids, std::size_t width) {
  std::string text = ranges(ids);
  if (text.size() <= width) return text;
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return abridged(parts, width);
}

/// "8" if all sizes are equal, else "6 x 8, 2 x 4" with the largest first.
std::string sizes_text(const std::vector<std::size_t>& sizes) {
  std::map<std::size_t, int, std::greater<>> counts;
  for (const std::size_t size : sizes) ++counts[size];
  if (counts.size() == 1) return std::to_string(counts.begin()->first);
  std::string text;
  for (const auto& [size, count] : counts) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, size);
  }
  return text;
}

template <typename Group>
std::string cores_in_each(const std::vector<Group>& groups) {
  std::vector<std::size_t> sizes;
  sizes.reserve(groups.size());
  for (const Group& group : groups) sizes.push_back(group.cores.size());
  return sizes_text(sizes);
}

std::string threads_per_core(const Topology& topology) {
  std::vector<std::size_t> sizes;
  for (const Core& core : topology.cores) sizes.push_back(core.pus.size());
  return sizes_text(sizes);
}

/// A label and a text whose further lines are aligned with its first.
void field(Out out, const char* name, const std::string& text) {
  constexpr std::size_t indent = 12;
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t blank = std::min(text.find(' ', begin), text.size());
    parts.push_back(text.substr(begin, blank - begin));
    begin = blank + 1;
  }
  const char* label = name;
  for (const std::string& line : wrapped(parts, kColumns - indent, 4)) {
    fmt::format_to(out, "{:<{}}{}\n", label, indent, line);
    label = "";
  }
}

void show_head(Out out, const MachineFile& file) {
  const Topology& topology = file.topology;
  field(out, "Machine",
        fmt::format("{} ({}{}{})", file.host, file.origin, file.os.empty() ? "" : ", ", file.os));
  if (!file.cpu_model.empty()) field(out, "Processor", file.cpu_model);
  field(out, "Packages",
        fmt::format("{}, cores in each: {}", topology.packages.size(),
                    cores_in_each(topology.packages)));
  std::uint64_t memory_bytes = 0;
  for (const NumaNode& node : topology.numa_nodes) memory_bytes += node.memory_bytes;
  field(out, "NUMA",
        fmt::format("{}, {} of memory", topology.numa_nodes.size(), bytes_text(memory_bytes)));
  field(out, "Cores",
        fmt::format("{}, hardware threads in each: {}", topology.cores.size(),
                    threads_per_core(topology)));
  field(out, "Allowed",
        fmt::format("{} of {} cores; hardware threads {}", topology.allowed_cores().size(),
                    topology.cores.size(), fitting_ranges(topology.allowed_pus.indices(), 40)));
  if (topology.cgroup_quota_cores) {
    field(out, "CPU quota",
          fmt::format("{} cores: enough to keep {} busy", number_text(*topology.cgroup_quota_cores),
                      counted(topology.usable_cores(), "core")));
  }
  for (const std::string& note : file.notes) field(out, "Note", note);
}

/// The hardware threads of each core: "0,128 1,129"; those not allowed are in parentheses.
std::vector<std::string> threads_of_cores(const Topology& topology, const std::vector<int>& cores) {
  std::vector<std::string> parts;
  for (const int core : cores) {
    std::string part;
    for (const int pu : topology.cores[static_cast<std::size_t>(core)].pus) {
      part += fmt::format(fmt::runtime(topology.allowed_pus.test(pu) ? "{}{}" : "{}({})"),
                          part.empty() ? "" : ",", pu);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

void show_placement(Out out, const Topology& topology) {
  const bool all_allowed = topology.allowed_pus.count() == topology.total_pus();
  fmt::format_to(out, "\nPlacement   hardware threads of each core{}\n",
                 all_allowed ? "" : "; (n): not allowed");
  fmt::format_to(out, "  {:>7} {:>5} {:>9}  {:<11}  {}\n", "package", "NUMA", "memory", "cores",
                 "hardware threads");
  constexpr std::size_t indent = 2 + 7 + 1 + 5 + 1 + 9 + 2 + 11 + 2;
  std::set<int> shown_domains;  // a domain may span packages
  for (const Package& package : topology.packages) {
    std::map<int, std::vector<int>> by_numa;
    for (const int core : package.cores) {
      by_numa[topology.cores[static_cast<std::size_t>(core)].numa].push_back(core);
    }
    for (const auto& [numa, cores] : by_numa) {
      std::string memory = "-";
      for (const NumaNode& node : topology.numa_nodes) {
        if (node.id != numa) continue;
        memory = shown_domains.insert(numa).second ? bytes_text(node.memory_bytes) : "shared";
      }
      const std::vector<std::string> parts = threads_of_cores(topology, cores);
      std::vector<std::string> lines = {abridged(parts, kColumns - indent)};
      if (topology.cores.size() <= kSmallNodeCores) lines = wrapped(parts, kColumns - indent, 8);
      fmt::format_to(out, "  {:>7} {:>5} {:>9}  {:<11}  {}\n", package.id,
                     numa < 0 ? "-" : std::to_string(numa), memory, fitting_ranges(cores, 11),
                     lines.front());
      for (std::size_t i = 1; i < lines.size(); ++i) {
        fmt::format_to(out, "{:{}}{}\n", "", indent, lines[i]);
      }
    }
  }
  for (const NumaNode& node : topology.numa_nodes) {
    const bool nearest = std::any_of(topology.cores.begin(), topology.cores.end(),
                                     [&](const Core& core) { return core.numa == node.id; });
    if (nearest) continue;
    fmt::format_to(
        out, "  {:>7} {:>5} {:>9}  {:<11}  {}\n", "-", node.id, bytes_text(node.memory_bytes),
        node.cores.empty() ? "-" : fitting_ranges(node.cores, 11), "(memory without cores)");
  }
}

void show_kinds(Out out, const Topology& topology) {
  std::map<int, std::vector<int>> kinds;
  for (const Core& core : topology.cores) kinds[core.kind].push_back(core.id);
  if (kinds.size() < 2) return;
  fmt::format_to(out, "\nKinds of cores   higher is faster\n");
  for (const auto& [kind, cores] : kinds) {
    fmt::format_to(out, "  {:>7}  cores {}\n", kind, fitting_ranges(cores, 60));
  }
}

/// One line per kind of cache (level, size, number of cores that share it), followed by the groups
/// of hardware threads that share one, in the format of cpuinfo: "(0,1)(2,3)".
void show_caches(Out out, const Topology& topology) {
  fmt::format_to(out, "\nCaches      hardware threads that share one\n");
  if (topology.caches.empty()) {
    fmt::format_to(out, "  unknown: hwloc reports none\n");
    return;
  }
  std::map<std::tuple<int, std::uint64_t, std::size_t>, std::vector<const Cache*>> kinds;
  for (const Cache& cache : topology.caches) {
    kinds[{cache.level, cache.size_bytes, cache.cores.size()}].push_back(&cache);
  }
  fmt::format_to(out, "  {:<5} {:>9} {:>6} {:>6}  {}\n", "level", "size", "line", "number",
                 "shared by");
  constexpr std::size_t indent = 2 + 5 + 1 + 9 + 1 + 6 + 1 + 6 + 2;
  for (const auto& [kind, caches] : kinds) {
    const Cache& any = *caches.front();
    std::vector<std::string> lines = {"not shared"};
    if (any.cores.size() > 1) {
      std::vector<std::string> groups;
      for (const Cache* cache : caches) {
        groups.push_back(fmt::format("({})", topology.pus_of(cache->cores).format()));
      }
      lines = wrapped(groups, kColumns - indent, 4);
      lines.insert(lines.begin(), fmt::format("{} cores", any.cores.size()));
    }
    fmt::format_to(out, "  {:<5} {:>9} {:>6} {:>6}  {}\n",
                   fmt::format("L{}{}", any.level, any.type == "data" ? "d" : ""),
                   bytes_text(any.size_bytes), bytes_text(any.line_bytes), caches.size(),
                   lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i) {
      fmt::format_to(out, "{:{}}{}\n", "", indent, lines[i]);
    }
  }
}

void show_paths(Out out, const Topology& topology) {
  fmt::format_to(out, "\nPaths       pairs of allowed cores, by shared hardware\n");
  const std::vector<PathClass> classes = path_classes(topology);
  if (classes.empty()) {
    fmt::format_to(out, "  none: only one hardware thread is allowed\n");
    return;
  }
  fmt::format_to(out, "  {:<18} {:>6}  {}\n", "path", "pairs", "core pairs");
  for (const PathClass& path : classes) {
    std::vector<std::string> parts;
    for (const auto& [a, b] : path.pairs) {
      parts.push_back(a == b ? std::to_string(a) : fmt::format("{}:{}", a, b));
    }
    fmt::format_to(out, "  {:<18} {:>6}  {}\n", path.kind.name, path.pairs.size(),
                   abridged(parts, kColumns - 29));
  }
}

}  // namespace

std::string show(const MachineFile& file) {
  std::string text;
  const Out out = std::back_inserter(text);
  show_head(out, file);
  show_placement(out, file.topology);
  show_kinds(out, file.topology);
  show_caches(out, file.topology);
  show_paths(out, file.topology);
  text += show_measured(file);
  return text;
}

}  // namespace plait::machine
