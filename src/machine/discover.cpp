// SPDX-License-Identifier: BSD-3-Clause
// Reads the topology of this node, of an hwloc XML file or of an hwloc synthetic description.
#include "machine/discover.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <type_traits>

#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "machine/cgroup.hpp"
#include "plait/error.hpp"

namespace plait::machine {
namespace {

using Handle =
    std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, decltype(&hwloc_bitmap_free)>;

Handle new_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Failure("hwloc", "cannot be initialized", "");
  Handle handle(raw, hwloc_topology_destroy);
  // Include disallowed objects, so that they can be shown; the allowed set is kept separately.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return handle;
}

CpuSet to_cpuset(hwloc_const_bitmap_t bitmap) {
  CpuSet set;
  for (int i = hwloc_bitmap_first(bitmap); i >= 0; i = hwloc_bitmap_next(bitmap, i)) set.set(i);
  return set;
}

std::string info(hwloc_obj_t object, const char* name) {
  const char* value = object != nullptr ? hwloc_obj_get_info_by_name(object, name) : nullptr;
  return value != nullptr ? value : "";
}

/// The operating-system index if all objects of the type have different ones, else the logical
/// index.
int id_of(hwloc_topology_t hwloc, hwloc_obj_t object) {
  std::set<unsigned> seen;
  for (hwloc_obj_t o = nullptr;
       (o = hwloc_get_next_obj_by_type(hwloc, object->type, o)) != nullptr;) {
    if (o->os_index == HWLOC_UNKNOWN_INDEX || !seen.insert(o->os_index).second) {
      return static_cast<int>(object->logical_index);
    }
  }
  return static_cast<int>(object->os_index);
}

/// Adds the cores and their hardware threads. If hwloc reports no cores, each hardware thread
/// counts as one.
void fill_cores(hwloc_topology_t hwloc, Topology& topology) {
  std::map<hwloc_obj_t, std::size_t> place;
  for (hwloc_obj_t pu = nullptr;
       (pu = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_PU, pu)) != nullptr;) {
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_CORE, pu);
    const auto [entry, is_new] =
        place.try_emplace(core != nullptr ? core : pu, topology.cores.size());
    if (is_new) topology.cores.push_back({.id = static_cast<int>(entry->second), .pus = {}});
    topology.cores[entry->second].pus.push_back(static_cast<int>(pu->os_index));
  }
}

void fill_packages(hwloc_topology_t hwloc, MachineFile& file) {
  Topology& topology = file.topology;
  for (hwloc_obj_t o = nullptr;
       (o = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_PACKAGE, o)) != nullptr;) {
    topology.packages.push_back({id_of(hwloc, o), topology.cores_of(to_cpuset(o->cpuset))});
  }
  if (topology.packages.empty()) {
    Package all{0, {}};
    for (const Core& core : topology.cores) all.cores.push_back(core.id);
    topology.packages.push_back(std::move(all));
    file.notes.push_back("the packages of this node are unknown; one is assumed");
  }
  for (const Package& package : topology.packages) {
    for (const int core : package.cores) {
      topology.cores[static_cast<std::size_t>(core)].package = package.id;
    }
  }
}

void fill_numa_nodes(hwloc_topology_t hwloc, Topology& topology) {
  for (hwloc_obj_t o = nullptr;
       (o = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_NUMANODE, o)) != nullptr;) {
    topology.numa_nodes.push_back(
        {id_of(hwloc, o), o->attr->numanode.local_memory, topology.cores_of(to_cpuset(o->cpuset))});
  }
  // The domain of a core is the smallest one that contains it; of two equal ones (DRAM and HBM),
  // the first.
  std::vector<std::size_t> size(topology.cores.size(), topology.cores.size() + 1);
  for (const NumaNode& node : topology.numa_nodes) {
    for (const int core : node.cores) {
      const auto c = static_cast<std::size_t>(core);
      if (node.cores.size() >= size[c]) continue;
      size[c] = node.cores.size();
      topology.cores[c].numa = node.id;
    }
  }
}

void fill_caches(hwloc_topology_t hwloc, Topology& topology) {
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                      HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(hwloc, type, o)) != nullptr;) {
      const auto& cache = o->attr->cache;
      topology.caches.push_back(
          {static_cast<int>(cache.depth), cache.type == HWLOC_OBJ_CACHE_DATA ? "data" : "unified",
           cache.size, cache.linesize, topology.cores_of(to_cpuset(o->cpuset))});
    }
  }
}

/// Sets the kinds of cores of hybrid processors: 1 is the most efficient kind, higher numbers are
/// faster. Kinds that hwloc cannot rank stay 0.
void fill_kinds(hwloc_topology_t hwloc, Topology& topology) {
  const int kinds = hwloc_cpukinds_get_nr(hwloc, 0);
  if (kinds < 2) return;
  for (int k = 0; k < kinds; ++k) {
    const Bitmap members(hwloc_bitmap_alloc(), hwloc_bitmap_free);
    int efficiency = -1;
    if (hwloc_cpukinds_get_info(hwloc, static_cast<unsigned>(k), members.get(), &efficiency,
                                nullptr, nullptr, 0) != 0 ||
        efficiency < 0) {
      continue;
    }
    for (const int core : topology.cores_of(to_cpuset(members.get()))) {
      topology.cores[static_cast<std::size_t>(core)].kind = efficiency + 1;
    }
  }
}

MachineFile describe(hwloc_topology_t hwloc) {
  MachineFile file;
  file.plait_version = PLAIT_VERSION;
  file.created = utc_now();
  fill_cores(hwloc, file.topology);
  fill_packages(hwloc, file);
  fill_numa_nodes(hwloc, file.topology);
  fill_caches(hwloc, file.topology);
  fill_kinds(hwloc, file.topology);
  file.topology.allowed_pus = to_cpuset(hwloc_topology_get_allowed_cpuset(hwloc));
  const hwloc_obj_t root = hwloc_get_root_obj(hwloc);
  file.host = info(root, "HostName");
  file.os = info(root, "OSName");
  if (const std::string release = info(root, "OSRelease"); !release.empty()) {
    file.os += " " + release;
  }
  file.cpu_model = info(hwloc_get_obj_by_type(hwloc, HWLOC_OBJ_PACKAGE, 0), "CPUModel");
  if (file.cpu_model.empty()) file.cpu_model = info(root, "CPUModel");
  return file;
}

}  // namespace

MachineFile discover_local(const DiscoverOptions& options) {
  const Handle hwloc = new_topology();
  if (hwloc_topology_load(hwloc.get()) != 0) {
    throw Failure("this node", "hwloc cannot read its topology", "check that lstopo works");
  }
  MachineFile file = describe(hwloc.get());
  file.origin = "recorded";
  // HWLOC_XMLFILE and HWLOC_SYNTHETIC replace this machine by another one.
  if (hwloc_topology_is_thissystem(hwloc.get()) == 0) return file;
  if (options.own_affinity) {
    const CpuSet here = file.topology.allowed_pus & CpuSet::affinity_of(0);
    if (!here.empty()) file.topology.allowed_pus = here;
  }
  const std::optional<double> quota = cgroup_quota_cores();
  const auto allowed = static_cast<double>(file.topology.allowed_pus.count());
  if (quota && *quota < allowed) file.topology.cgroup_quota_cores = quota;
  utsname names{};
  if (::uname(&names) == 0) {
    file.host = names.nodename;
    file.os = fmt::format("{} {}", names.sysname, names.release);
  }
  file.topology.check("this node");
  return file;
}

MachineFile discover_xml(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  const Handle hwloc = new_topology();
  if (text.find("<topology") == std::string::npos ||
      hwloc_topology_set_xmlbuffer(hwloc.get(), text.c_str(), static_cast<int>(text.size() + 1)) !=
          0 ||
      hwloc_topology_load(hwloc.get()) != 0) {
    throw Error(path.string(), "not an hwloc topology", "record it with lstopo --of xml");
  }
  MachineFile file = describe(hwloc.get());
  const hwloc_obj_t root = hwloc_get_root_obj(hwloc.get());
  file.origin = info(root, "Backend") == "Synthetic" ? "synthetic" : "recorded";
  if (file.host.empty()) file.host = path.stem().string();
  file.topology.check(path.string());
  return file;
}

MachineFile discover_synthetic(const std::string& description) {
  const Handle hwloc = new_topology();
  if (hwloc_topology_set_synthetic(hwloc.get(), description.c_str()) != 0 ||
      hwloc_topology_load(hwloc.get()) != 0) {
    throw Error(fmt::format("\"{}\"", description), "not an hwloc synthetic description",
                "write it like pack:2 [numa] l3:4 core:4 pu:2");
  }
  MachineFile file = describe(hwloc.get());
  file.origin = "synthetic";
  file.host = "synthetic";
  file.os.clear();
  file.notes.push_back("hwloc synthetic description: " + description);
  file.topology.check(description);
  return file;
}

}  // namespace plait::machine
