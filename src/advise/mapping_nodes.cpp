// SPDX-License-Identifier: BSD-3-Clause
// Nodes by capacity, by name, by machine; where processes are now; distances between slots.
#include "advise/mapping_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "advise/number_lists.hpp"
#include "launcher/plan.hpp"
#include "machine/open_machine.hpp"
#include "mapping/costs.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::advise {
namespace {

constexpr int most_slots = 10'000'000;
constexpr const char* capacities =
    "write nodes x slots as 4x8, the slots of each node as 12,8,8,4, or both as 2x12,8";

/// "4 nodes of 8 slots", "nodes of 12, 8, 8 and 4 slots", "40 nodes of 4 to 12 slots".
std::string text_of(const std::vector<int>& capacity) {
  const auto [least, most] = std::minmax_element(capacity.begin(), capacity.end());
  if (*least == *most) {
    return fmt::format("{} of {}", counted(capacity.size(), "node"), counted(*most, "slot"));
  }
  if (capacity.size() > 8) {
    return fmt::format("{} nodes of {} to {} slots", capacity.size(), *least, *most);
  }
  std::string list;
  for (std::size_t i = 0; i < capacity.size(); ++i) {
    list += fmt::format("{}{}",
                        i == 0                     ? ""
                        : i + 1 == capacity.size() ? " and "
                                                   : ", ",
                        capacity[i]);
  }
  return fmt::format("nodes of {} slots", list);
}

MapNodes with_capacities(const std::vector<int>& capacity) {
  std::vector<int> node_of_slot;
  for (std::size_t node = 0; node < capacity.size(); ++node) {
    node_of_slot.insert(node_of_slot.end(), static_cast<std::size_t>(capacity[node]),
                        static_cast<int>(node));
  }
  MapNodes nodes;
  nodes.slots = mapping::slots_on_nodes(node_of_slot);
  nodes.pus.resize(node_of_slot.size());
  nodes.text = text_of(capacity);
  return nodes;
}

void require_few(std::int64_t slots, const std::string& text) {
  if (slots > most_slots) {
    throw Error(text, fmt::format("more than {} slots", most_slots), "give fewer");
  }
}

/// The hardware threads of each slot of slots_of_node(node, cores): slots_of_node(node, 1) lists
/// the same cores one by one, in the same order.
std::vector<machine::CpuSet> pus_of_slots(const machine::Topology& node, int cores,
                                          const std::vector<mapping::Slot>& slots) {
  constexpr std::size_t core = mapping::kLevels - 1;
  const std::vector<int> ids = node.allowed_cores();
  const std::vector<mapping::Slot> singles = mapping::slots_of_node(node, 1, {});
  std::vector<machine::CpuSet> result;
  for (const mapping::Slot& slot : slots) {
    auto at = std::find_if(singles.begin(), singles.end(),
                           [&](const mapping::Slot& one) { return one[core] == slot[core]; });
    machine::CpuSet pus;
    for (int i = 0; i < cores; ++i, ++at) {
      for (const int pu : node.allowed_pus_of(ids[static_cast<std::size_t>((*at)[core])])) {
        pus.set(pu);
      }
    }
    result.push_back(pus);
  }
  return result;
}

/// Each element several times.
template <class T>
std::vector<T> repeated(const std::vector<T>& list, int times) {
  std::vector<T> result;
  for (const T& one : list) result.insert(result.end(), static_cast<std::size_t>(times), one);
  return result;
}

/// "4xSPEC" is SPEC four times.
std::pair<int, std::string> count_and_machine(const std::string& text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string::npos || text[digits] != 'x') return {1, text};
  const int count = parse_count(text.substr(0, digits), 1, most_slots, "4xMACHINE");
  return {count, text.substr(digits + 1)};
}

}  // namespace

MapNodes nodes_by_capacity(const std::string& text) {
  std::vector<int> capacity;
  std::int64_t slots = 0;
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> numbers = split(part, 'x');
    if (numbers.size() > 2) throw Error(part, "not a number of slots", capacities);
    const int count = numbers.size() == 2 ? parse_count(numbers[0], 1, most_slots, capacities) : 1;
    const int size = parse_count(numbers.back(), 1, most_slots, capacities);
    slots += std::int64_t{count} * size;
    require_few(slots, text);
    capacity.insert(capacity.end(), static_cast<std::size_t>(count), size);
  }
  return with_capacities(capacity);
}

MapNodes nodes_by_host(const std::string& text) {
  std::vector<int> capacity;
  std::vector<std::string> names;
  for (const std::string& part : split(text, ',')) {
    const std::size_t colon = part.rfind(':');
    if (colon == std::string::npos || colon == 0) {
      throw Error(part, "the number of slots is missing",
                  "write --hosts n1:8,n2:8, or add --nodes 2x8");
    }
    names.push_back(part.substr(0, colon));
    capacity.push_back(parse_count(part.substr(colon + 1), 1, most_slots, "n1:8,n2:8"));
  }
  MapNodes nodes = with_capacities(capacity);
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  name_nodes(nodes, list);
  return nodes;
}

MapNodes nodes_of_allocation(const launcher::SlurmAllocation& allocation) {
  std::vector<int> capacity;
  for (const launcher::AllocatedNode& node : allocation.nodes) capacity.push_back(node.tasks);
  MapNodes nodes = with_capacities(capacity);
  for (const launcher::AllocatedNode& node : allocation.nodes)
    nodes.slots.nodes.push_back(node.name);
  return nodes;
}

MapNodes nodes_of_machines(const std::vector<std::string>& specs, int cores, int ranks) {
  MapNodes nodes;
  std::vector<int> capacity;
  mapping::Slot next{};
  for (const std::string& text : specs) {
    const auto [count, spec] = count_and_machine(text);
    const machine::MachineFile machine = machine::open_machine(spec);
    const machine::Topology& topology = machine.topology;
    if (machine.measured && nodes.costs.from == "default") {
      nodes.costs = mapping::costs_range_of(*machine.measured, machine.host);
    }
    for (int i = 0; i < count; ++i) {
      const auto slots = repeated(mapping::slots_of_node(topology, cores, next), ranks);
      if (slots.empty()) {
        throw Error(spec, fmt::format("too few cores for a slot of {}", cores),
                    "reduce --cores-per-rank");
      }
      if (i == 0) {
        require_few(static_cast<std::int64_t>(slots.size()) * count, text);
        const auto pus = repeated(
            pus_of_slots(topology, cores, mapping::slots_of_node(topology, cores, {})), ranks);
        for (int k = 0; k < count; ++k) nodes.pus.insert(nodes.pus.end(), pus.begin(), pus.end());
      }
      for (const mapping::Slot& slot : slots) {
        for (std::size_t level = 0; level < mapping::kLevels; ++level) {
          next[level] = std::max(next[level], slot[level] + 1);
        }
      }
      nodes.slots.of.insert(nodes.slots.of.end(), slots.begin(), slots.end());
      capacity.push_back(static_cast<int>(slots.size()));
    }
  }
  nodes.text = fmt::format("{} of {}", text_of(capacity), counted(cores, "core"));
  if (ranks > 1) nodes.text += fmt::format(", shared by {} ranks each", ranks);
  return nodes;
}

void name_nodes(MapNodes& nodes, const std::string& names) {
  const std::vector<std::string> list = split(names, ',');
  int last = -1;
  for (const mapping::Slot& slot : nodes.slots.of) last = std::max(last, slot[0]);
  if (static_cast<int>(list.size()) != last + 1) {
    throw Error(names, fmt::format("names {} nodes, but there are {}", list.size(), last + 1),
                "give one name per node");
  }
  launcher::check_host_names("--hosts", list);
  std::set<std::string> known;
  for (const std::string& name : list) {
    if (name.empty() || !known.insert(name).second) {
      throw Error(names, fmt::format("\"{}\" is empty or not unique", name),
                  "give each node its own name");
    }
  }
  nodes.slots.nodes = list;
}

std::vector<int> dealt_in_turn(const mapping::Slots& slots, int processes) {
  std::map<int, std::vector<int>> of_node;
  for (int slot = slots.size(); slot-- > 0;) of_node[slots.node_of(slot)].push_back(slot);
  std::vector<int> result;
  while (static_cast<int>(result.size()) < std::min(processes, slots.size())) {
    for (auto& [node, left] : of_node) {
      if (left.empty() || static_cast<int>(result.size()) == processes) continue;
      result.push_back(left.back());
      left.pop_back();
    }
  }
  return result;
}

std::array<double, mapping::kLevels + 1> parse_distances(const std::string& text,
                                                         const mapping::Slots& slots) {
  std::vector<mapping::Slot> sorted = slots.of;
  std::sort(sorted.begin(), sorted.end());
  std::set<std::size_t> levels{
      mapping::kLevels};  // on which two slots meet, different nodes included
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    levels.insert(mapping::meeting_level(sorted[i - 1], sorted[i]));
  }
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() > levels.size()) {
    throw Error(text,
                fmt::format("{} distances, but the slots have only {} levels of distance",
                            parts.size(), levels.size()),
                "give fewer, innermost first, the last one between nodes; --machine adds levels");
  }
  // From the outside: different nodes, same node only, same package ...; what is left over further
  // inside is as far apart as the innermost.
  std::array<double, mapping::kLevels + 1> result{};
  std::size_t part = parts.size() - 1;
  result[mapping::kLevels] = parse_weight(parts[part]);
  for (std::size_t level = 0; level < mapping::kLevels; ++level) {
    if (levels.contains(level) && part > 0) --part;
    result[level] = parse_weight(parts[part]);
  }
  return result;
}

}  // namespace plait::advise
