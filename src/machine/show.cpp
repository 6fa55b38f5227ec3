// SPDX-License-Identifier: BSD-3-Clause
// Prints a machine as tables: counts, hardware threads, cache sharing, paths between cores.
#include "machine/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "machine/paths.hpp"
#include "machine/show_measured.hpp"
#include "machine/show_measured_cells.hpp"
#include "text/counted.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::machine {
namespace {

/// Nodes with more cores than this show only the first and last hardware threads.
constexpr std::size_t kSmallNodeCores = 32;

/// "32 KiB"; "?" for 0, which means unknown.
std::string known_size(std::uint64_t bytes) {
  return bytes == 0 ? "?" : format_bytes(bytes);
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
void field(std::string& out, const char* name, const std::string& text) {
  constexpr std::size_t indent = 12;
  out += joined_lines(wrap_beside(pad(name, indent), text, kTerminalColumns, 4));
}

void show_head(std::string& out, const MachineFile& file) {
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
        fmt::format("{}, {} of memory", topology.numa_nodes.size(), known_size(memory_bytes)));
  field(out, "Cores",
        fmt::format("{}, hardware threads in each: {}", topology.cores.size(),
                    threads_per_core(topology)));
  field(out, "Allowed",
        fmt::format("{} of {} cores; hardware threads {}", topology.allowed_cores().size(),
                    topology.cores.size(), abridge_commas(topology.allowed_pus.format(), 40)));
  if (topology.cgroup_quota_cores) {
    field(out, "CPU quota",
          fmt::format("{} cores: enough to keep {} busy",
                      format_number(*topology.cgroup_quota_cores, Zeros::dropped),
                      counted(topology.usable_cores(), "core")));
  }
  for (const std::string& note : file.notes) field(out, "Note", note);
}

/// The hardware threads of each core: "0,128 1,129"; those not allowed are in parentheses.
std::string threads_of_cores(const Topology& topology, const std::vector<int>& cores) {
  std::string text;
  for (const int core : cores) {
    std::string part;
    for (const int pu : topology.cores[static_cast<std::size_t>(core)].pus) {
      part += fmt::format(fmt::runtime(topology.allowed_pus.test(pu) ? "{}{}" : "{}({})"),
                          part.empty() ? "" : ",", pu);
    }
    text += (text.empty() ? "" : " ") + part;
  }
  return text;
}

void show_placement(std::string& out, const Topology& topology) {
  const bool all_allowed = topology.allowed_pus.count() == topology.total_pus();
  out += fmt::format("\nPlacement   hardware threads of each core{}\n",
                     all_allowed ? "" : "; (n): not allowed");
  const bool small = topology.cores.size() <= kSmallNodeCores;
  Table table(
      {number_column("package"), number_column("NUMA"), number_column("memory"),
       text_column("cores", abridge_commas),
       small ? wrapped_column("hardware threads", 8) : text_column("hardware threads", abridge)},
      kIndented);
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
        memory = shown_domains.insert(numa).second ? known_size(node.memory_bytes) : "shared";
      }
      table.add({std::to_string(package.id), numa < 0 ? "-" : std::to_string(numa), memory,
                 format_ids(cores), threads_of_cores(topology, cores)});
    }
  }
  for (const NumaNode& node : topology.numa_nodes) {
    const bool nearest = std::any_of(topology.cores.begin(), topology.cores.end(),
                                     [&](const Core& core) { return core.numa == node.id; });
    if (nearest) continue;
    table.add({"-", std::to_string(node.id), known_size(node.memory_bytes), format_ids(node.cores),
               "(memory without cores)"});
  }
  out += table.text();
}

void show_kinds(std::string& out, const Topology& topology) {
  std::map<int, std::vector<int>> kinds;
  for (const Core& core : topology.cores) kinds[core.kind].push_back(core.id);
  if (kinds.size() < 2) return;
  out += "\nKinds of cores   higher is faster\n";
  Table table({number_column("kind"), text_column("cores", abridge_commas)}, kIndented);
  for (const auto& [kind, cores] : kinds) table.add({std::to_string(kind), format_ids(cores)});
  out += table.text();
}

/// One line per kind of cache (level, size, number of cores that share it), followed by the groups
/// of hardware threads that share one, in the format of cpuinfo: "(0,1)(2,3)".
void show_caches(std::string& out, const Topology& topology) {
  out += "\nCaches      hardware threads that share one\n";
  if (topology.caches.empty()) {
    out += "  unknown: hwloc reports none\n";
    return;
  }
  std::map<std::tuple<int, std::uint64_t, std::size_t>, std::vector<const Cache*>> kinds;
  for (const Cache& cache : topology.caches) {
    kinds[{cache.level, cache.size_bytes, cache.cores.size()}].push_back(&cache);
  }
  Table table({text_column("level"), number_column("size"), number_column("line"),
               number_column("number"), wrapped_column("shared by", 4)},
              kIndented);
  for (const auto& [kind, caches] : kinds) {
    const Cache& any = *caches.front();
    std::string shared_by = "not shared";
    if (any.cores.size() > 1) {
      shared_by = fmt::format("{} cores\n", any.cores.size());
      for (const Cache* cache : caches) {
        shared_by +=
            fmt::format("{}({})", cache == &any ? "" : " ", topology.pus_of(cache->cores).format());
      }
    }
    table.add({fmt::format("L{}{}", any.level, any.type == "data" ? "d" : ""),
               known_size(any.size_bytes), known_size(any.line_bytes),
               std::to_string(caches.size()), shared_by});
  }
  out += table.text();
}

void show_paths(std::string& out, const Topology& topology) {
  out += "\nPaths       pairs of allowed cores, by shared hardware\n";
  const std::vector<PathClass> classes = path_classes(topology);
  if (classes.empty()) {
    out += "  none: only one hardware thread is allowed\n";
    return;
  }
  Table table({text_column("path"), number_column("pairs"), text_column("core pairs", abridge)},
              kIndented);
  for (const PathClass& path : classes) {
    std::string pairs;
    for (const auto& [a, b] : path.pairs) {
      if (!pairs.empty()) pairs += ' ';
      pairs += a == b ? std::to_string(a) : fmt::format("{}:{}", a, b);
    }
    table.add({path.kind.name, std::to_string(path.pairs.size()), pairs});
  }
  out += table.text();
}

}  // namespace

std::string show(const MachineFile& file) {
  std::string text;
  show_head(text, file);
  show_placement(text, file.topology);
  show_kinds(text, file.topology);
  show_caches(text, file.topology);
  show_paths(text, file.topology);
  text += show_measured(file);
  return text;
}

}  // namespace plait::machine
