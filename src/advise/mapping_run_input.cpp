// SPDX-License-Identifier: BSD-3-Clause
// Reads the messages of a run and the places of its ranks, to be mapped.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

#include "advise/mapping_input.hpp"
#include "machine/open_machine.hpp"
#include "mapping/communication_input.hpp"
#include "mapping/costs.hpp"
#include "plait/error.hpp"
#include "report/finish.hpp"
#include "report/job_parts.hpp"

namespace plait::advise {
namespace {

/// The hardware threads that the threads of each rank may use.
std::vector<machine::CpuSet> masks_of(const report::Profile& profile) {
  std::vector<machine::CpuSet> masks(static_cast<std::size_t>(profile.world_size));
  for (const report::ThreadPlace& place : profile.placement.threads) {
    if (place.rank < 0 || place.rank >= profile.world_size) continue;
    masks[static_cast<std::size_t>(place.rank)] |= machine::CpuSet::parse(place.cpus);
  }
  return masks;
}

/// The group of each core of a node on each level, by core id.
std::map<int, mapping::Slot> groups_of_cores(const machine::Topology& topology) {
  const std::vector<int> ids = topology.allowed_cores();
  std::map<int, mapping::Slot> groups;
  for (const mapping::Slot& slot : mapping::slots_of_node(topology, 1, {})) {
    groups[ids.at(static_cast<std::size_t>(slot.back()))] = slot;
  }
  return groups;
}

/// Where a rank is on a node: the groups that contain its mask, below them numbers that no other
/// rank has.
mapping::Slot slot_within(const std::map<int, mapping::Slot>& groups, const std::vector<int>& cores,
                          int node, int groups_of_level, int own) {
  mapping::Slot slot{};
  slot.fill(own);
  slot[0] = node;
  if (cores.empty() || !groups.contains(cores.front())) return slot;
  const mapping::Slot& first = groups.at(cores.front());
  for (std::size_t level = 1; level < mapping::kLevels; ++level) {
    const bool one_group = std::all_of(cores.begin(), cores.end(), [&](int core) {
      const auto of = groups.find(core);
      return of != groups.end() && of->second[level] == first[level];
    });
    if (!one_group) return slot;
    slot[level] = node * groups_of_level + first[level];
  }
  return slot;
}

/// The slots of a run: where its ranks were.
MapNodes places_of(const report::Profile& profile, const std::filesystem::path& run,
                   std::vector<std::string>& notes) {
  const std::vector<int>& node_of = profile.matrix.nodes;
  MapNodes nodes;
  nodes.of_run = true;
  nodes.slots = mapping::slots_on_nodes(node_of);
  nodes.pus.resize(node_of.size());
  for (const report::HostRanks& host : profile.context.hosts) {
    nodes.slots.nodes.push_back(host.name);
  }
  nodes.text = fmt::format("the {} on which it ran",
                           profile.context.hosts.size() == 1
                               ? std::string("node")
                               : fmt::format("{} nodes", profile.context.hosts.size()));
  if (profile.context.machine_file.empty()) return nodes;

  const machine::MachineFile machine =
      machine::open_machine((run / profile.context.machine_file).string());
  const machine::Topology& topology = machine.topology;
  if (machine.measured) nodes.costs = mapping::costs_range_of(*machine.measured, machine.host);
  const std::map<int, mapping::Slot> groups = groups_of_cores(topology);
  const std::vector<machine::CpuSet> masks = masks_of(profile);
  const int cores = static_cast<int>(topology.cores.size());
  bool bound = false;
  for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
    const machine::CpuSet mask = masks[rank] & topology.allowed_pus;
    if (mask == topology.allowed_pus || mask.empty()) continue;
    bound = true;
    nodes.pus[rank] = masks[rank];
    // Groups have numbers below `cores` on each node; a rank's own are behind all of them.
    const int own = static_cast<int>(profile.context.hosts.size()) * cores + static_cast<int>(rank);
    nodes.slots.of[rank] = slot_within(groups, topology.cores_of(mask), node_of[rank], cores, own);
  }
  if (bound && profile.context.hosts.size() > 1) {
    notes.push_back(
        "the mapping assumes that all nodes are like the one whose machine file is in the run");
  }
  if (!bound) {
    notes.push_back("the ranks were not bound to cores, so only their nodes count");
  }
  return nodes;
}

mapping::Graph messages_of(const report::Profile& profile, std::vector<std::string>& notes) {
  const report::Matrix& matrix = profile.matrix;
  const std::vector<report::MatrixEntry>& entries =
      matrix.point_to_point.empty() ? matrix.collective : matrix.point_to_point;
  std::vector<mapping::Transfer> transfers;
  for (const report::MatrixEntry& entry : entries) {
    transfers.push_back({entry.from, entry.to, static_cast<double>(entry.bytes),
                         static_cast<double>(entry.messages)});
  }
  const auto bytes = [](const std::vector<report::MatrixEntry>& of) {
    return std::accumulate(of.begin(), of.end(), 0.0, [](double sum, const auto& entry) {
      return sum + static_cast<double>(entry.bytes);
    });
  };
  if (matrix.point_to_point.empty() && !matrix.collective.empty()) {
    notes.push_back(
        "the run used collectives only; the mapping is based on the messages that these imply");
  } else if (bytes(matrix.collective) > bytes(matrix.point_to_point)) {
    notes.push_back("collectives moved more bytes than messages, but the mapping ignores them");
  }
  if (matrix.left_out > 0) {
    notes.push_back(
        fmt::format("the profile leaves out the {} pairs with the fewest bytes", matrix.left_out));
  }
  return mapping::graph_of(std::move(transfers), profile.world_size);
}

/// A number for each kind of rank, by its threads and the hardware threads that it is bound to;
/// empty if all ranks are of one kind.
std::vector<int> classes_of(const report::Profile& profile, const MapNodes& nodes) {
  std::map<std::pair<int, int>, int> known;
  std::vector<int> class_of(nodes.pus.size());
  for (const report::RankRow& row : profile.ranks) {
    const auto rank = static_cast<std::size_t>(row.rank);
    const std::pair kind{row.threads, nodes.pus[rank].count()};
    class_of[rank] = known.try_emplace(kind, static_cast<int>(known.size())).first->second;
  }
  if (known.size() < 2) class_of.clear();
  return class_of;
}

}  // namespace

MapInput run_input(const std::string& run) {
  const std::filesystem::path directory = run;
  MapInput input;
  input.profile = report::open_run(directory);
  const report::Profile& profile = *input.profile;
  if (profile.world_size < 1) {
    throw Error(run, "no rank of an MPI program was recorded", "record one with plait run");
  }
  const std::vector<int>& node_of = profile.matrix.nodes;
  if (static_cast<int>(node_of.size()) != profile.world_size ||
      std::find(node_of.begin(), node_of.end(), -1) != node_of.end()) {
    throw Error(run, "not all ranks were recorded, so their nodes are unknown",
                "run the program again; plait report shows what is missing");
  }
  input.graph = messages_of(profile, input.notes);
  input.nodes = places_of(profile, directory, input.notes);
  input.part_of = report::part_of_ranks(profile.parts, profile.world_size);
  input.class_of = classes_of(profile, *input.nodes);
  input.text = fmt::format("run {}, all messages of its {} ranks", run, profile.world_size);
  return input;
}

}  // namespace plait::advise
