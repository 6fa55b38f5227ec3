// SPDX-License-Identifier: BSD-3-Clause
// Reads the definitions of an OTF2 archive.
#include <fmt/format.h>

#include <algorithm>

#include "export/otf2/imported.hpp"
#include "plait/error.hpp"

namespace plait::otf2 {
namespace {

struct Location {
  OTF2_LocationRef self;
  std::string name;
  OTF2_LocationGroupRef group;
};
struct Group {
  OTF2_GroupType type;
  std::vector<std::uint64_t> members;
};
struct Comm {
  OTF2_CommRef self;
  std::string name;
  OTF2_GroupRef group, remote;
};
struct Node {
  std::string name;
  OTF2_SystemTreeNodeRef parent;
};

/// Definitions in the order of the archive; strings precede references to them.
struct Raw {
  Imported* into = nullptr;
  std::map<OTF2_StringRef, std::string> texts;
  std::map<OTF2_SystemTreeNodeRef, Node> nodes;
  std::map<OTF2_LocationGroupRef, OTF2_SystemTreeNodeRef> groups_of_locations;
  std::vector<Location> locations;
  std::map<OTF2_GroupRef, Group> groups;
  std::vector<Comm> comms;

  [[nodiscard]] std::string text(OTF2_StringRef self) const {
    const auto at = texts.find(self);
    return at == texts.end() ? "" : at->second;
  }
};

Raw& raw(void* user) {
  return *static_cast<Raw*>(user);
}

OTF2_CallbackCode on_clock(void* user, uint64_t resolution, uint64_t, uint64_t, uint64_t) {
  if (resolution > 0) raw(user).into->ns_per_tick = 1e9 / static_cast<double>(resolution);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_string(void* user, OTF2_StringRef self, const char* text) {
  raw(user).texts[self] = text;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_node(void* user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                          OTF2_StringRef, OTF2_SystemTreeNodeRef parent) {
  raw(user).nodes[self] = {raw(user).text(name), parent};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_group_of_locations(void* user, OTF2_LocationGroupRef self, OTF2_StringRef,
                                        OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                        OTF2_LocationGroupRef) {
  if (type == OTF2_LOCATION_GROUP_TYPE_PROCESS) raw(user).groups_of_locations[self] = parent;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_location(void* user, OTF2_LocationRef self, OTF2_StringRef name,
                              OTF2_LocationType type, uint64_t, OTF2_LocationGroupRef group) {
  if (type == OTF2_LOCATION_TYPE_CPU_THREAD) {
    raw(user).locations.push_back({self, raw(user).text(name), group});
  }
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                            OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm paradigm,
                            OTF2_RegionFlag, OTF2_StringRef, uint32_t, uint32_t) {
  Imported& into = *raw(user).into;
  const std::string text = raw(user).text(name);
  const bool mpi = paradigm == OTF2_PARADIGM_MPI || text.starts_with("MPI_");
  into.region_numbers[self] = into.region(text, mpi);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_group(void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                           OTF2_Paradigm paradigm, OTF2_GroupFlag, uint32_t count,
                           const uint64_t* members) {
  if (paradigm == OTF2_PARADIGM_MPI) raw(user).groups[self] = {type, {members, members + count}};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_comm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                          OTF2_CommRef, OTF2_CommFlag) {
  raw(user).comms.push_back({self, raw(user).text(name), group, OTF2_UNDEFINED_GROUP});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_inter_comm(void* user, OTF2_CommRef self, OTF2_StringRef name,
                                OTF2_GroupRef group, OTF2_GroupRef remote, OTF2_CommRef,
                                OTF2_CommFlag) {
  raw(user).comms.push_back({self, raw(user).text(name), group, remote});
  return OTF2_CALLBACK_SUCCESS;
}

/// Assigns ranks to processes in the order of the communicators' locations, or of the locations.
void lay_out_ranks(const Raw& from, const std::filesystem::path& file) {
  Imported& into = *from.into;
  std::map<OTF2_LocationRef, const Location*> by_number;
  for (const Location& location : from.locations) by_number[location.self] = &location;
  std::vector<const Location*> main;  // by rank
  for (const auto& [self, group] : from.groups) {
    if (group.type != OTF2_GROUP_TYPE_COMM_LOCATIONS || !main.empty()) continue;
    for (const std::uint64_t member : group.members) {
      const auto at = by_number.find(member);
      main.push_back(at == by_number.end() ? nullptr : at->second);
    }
  }
  std::map<OTF2_LocationGroupRef, std::uint32_t> rank_of;
  if (main.empty()) {
    for (const Location& location : from.locations) {
      if (rank_of.try_emplace(location.group, static_cast<std::uint32_t>(main.size())).second) {
        main.push_back(&location);
      }
    }
  }
  for (std::uint32_t rank = 0; rank < main.size(); ++rank) {
    if (main[rank] == nullptr) {
      throw damaged_archive(file, fmt::format("the location of rank {} is not defined", rank));
    }
    Process& process = into.processes.emplace_back();
    rank_of[main[rank]->group] = rank;
    into.places[main[rank]->self] = {rank, 0};
    process.threads.push_back({main[rank]->name, {}});
    const auto parent = from.groups_of_locations.find(main[rank]->group);
    const auto node = parent == from.groups_of_locations.end() ? from.nodes.end()
                                                               : from.nodes.find(parent->second);
    process.host = node == from.nodes.end() ? "unknown" : node->second.name;
  }
  if (into.processes.empty()) {
    throw damaged_archive(file, "no processes are defined, so there is nothing to import");
  }
  std::size_t without_rank = 0;
  for (const Location& location : from.locations) {
    if (into.places.contains(location.self)) continue;
    const auto rank = rank_of.find(location.group);
    if (rank == rank_of.end()) {
      ++without_rank;
      continue;
    }
    std::vector<Thread>& threads = into.processes[rank->second].threads;
    into.places[location.self] = {rank->second, static_cast<std::uint32_t>(threads.size())};
    threads.push_back({location.name, {}});
  }
  if (without_rank > 0) {
    into.notes.push_back(
        fmt::format("{} threads that belong to no MPI rank are left out", without_rank));
  }
}

/// Members of a communicator's group are indices into the communicators' locations: ranks.
std::vector<int> ranks_of(const Raw& from, OTF2_GroupRef group) {
  std::vector<int> ranks;
  const auto at = from.groups.find(group);
  if (at == from.groups.end()) return ranks;
  for (const std::uint64_t member : at->second.members) {
    if (member < from.into->processes.size()) ranks.push_back(static_cast<int>(member));
  }
  return ranks;
}

}  // namespace

std::uint32_t Imported::region(const std::string& name, bool mpi) {
  const auto [at, is_new] =
      numbers_.try_emplace({name, mpi}, static_cast<std::uint32_t>(regions.size()));
  if (is_new) regions.push_back({name, mpi});
  return at->second;
}

void read_definitions(OTF2_Reader* reader, const std::filesystem::path& file, Imported& into) {
  Raw from;
  from.into = &into;
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  if (definitions == nullptr) throw damaged_archive(file, "its definitions cannot be read");
  OTF2_GlobalDefReaderCallbacks* const on = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(on, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(on, on_string);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(on, on_node);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(on, on_group_of_locations);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on, on_location);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(on, on_region);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(on, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(on, on_comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(on, on_inter_comm);
  check_read(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, on, &from), file,
             "its definitions cannot be read");
  OTF2_GlobalDefReaderCallbacks_Delete(on);
  std::uint64_t count = 0;
  check_read(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count), file,
             "its definitions are damaged");
  lay_out_ranks(from, file);
  for (const Comm& comm : from.comms) {
    into.comm_numbers[comm.self] = static_cast<std::uint32_t>(into.comms.size());
    into.comms.push_back({comm.name, ranks_of(from, comm.group), ranks_of(from, comm.remote)});
  }
}

}  // namespace plait::otf2
