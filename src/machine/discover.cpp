// SPDX-License-Identifier: BSD-3-Clause
// Reads the topology of this node, of an hwloc XML file or of an hwloc synthetic description.
#include "machine/discover.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <type_traits>
#include <utility>

#include "base/child.hpp"
#include "base/failure.hpp"
#include "base/json.hpp"
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
  for (int i = hwloc_bitmap_first(bitmap); i >= 0; i = hwloc_bitmap_next(bitmap, i)) {
    if (i > kMostPu) {
      throw Error(fmt::format("hardware thread {}", i),
                  fmt::format("more than {}, the largest that Plait supports", kMostPu), "");
    }
    set.set(i);
  }
  return set;
}

std::string info(hwloc_obj_t object, const char* name) {
  const char* value = object != nullptr ? hwloc_obj_get_info_by_name(object, name) : nullptr;
  return value != nullptr ? value : "";
}

/// Calls use(object, id) for all objects of a type. Ids are the operating-system indices if these
/// differ, else the logical indices.
template <class Use>
void for_each(hwloc_topology_t hwloc, hwloc_obj_type_t type, Use use) {
  std::vector<hwloc_obj_t> objects;
  std::set<unsigned> indices;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(hwloc, type, o)) != nullptr;) {
    objects.push_back(o);
    if (o->os_index != HWLOC_UNKNOWN_INDEX) indices.insert(o->os_index);
  }
  const bool differ = indices.size() == objects.size();
  for (const hwloc_obj_t o : objects) {
    use(o, static_cast<int>(differ ? o->os_index : o->logical_index));
  }
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

/// The cores with a hardware thread in a set, as Topology::cores_of(), without a search.
class CoresOf {
public:
  explicit CoresOf(const Topology& topology) {
    for (const Core& core : topology.cores) {
      for (const int pu : core.pus) core_.emplace(pu, core.id);
    }
  }

  std::vector<int> operator()(hwloc_const_bitmap_t bitmap) const {
    std::set<int> cores;
    for (const int pu : to_cpuset(bitmap).indices()) {
      if (const auto core = core_.find(pu); core != core_.end()) cores.insert(core->second);
    }
    return {cores.begin(), cores.end()};
  }

private:
  std::map<int, int> core_;  // by hardware thread
};

void fill_packages(hwloc_topology_t hwloc, const CoresOf& cores_of, MachineFile& file) {
  Topology& topology = file.topology;
  for_each(hwloc, HWLOC_OBJ_PACKAGE, [&](hwloc_obj_t o, int id) {
    topology.packages.push_back({id, cores_of(o->cpuset)});
  });
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

void fill_numa_nodes(hwloc_topology_t hwloc, const CoresOf& cores_of, Topology& topology) {
  for_each(hwloc, HWLOC_OBJ_NUMANODE, [&](hwloc_obj_t o, int id) {
    topology.numa_nodes.push_back({id, o->attr->numanode.local_memory, cores_of(o->cpuset)});
  });
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

void fill_caches(hwloc_topology_t hwloc, const CoresOf& cores_of, Topology& topology) {
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                      HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
    for_each(hwloc, type, [&](hwloc_obj_t o, int) {
      const auto& cache = o->attr->cache;
      topology.caches.push_back({static_cast<int>(cache.depth),
                                 cache.type == HWLOC_OBJ_CACHE_DATA ? "data" : "unified",
                                 cache.size, cache.linesize, cores_of(o->cpuset)});
    });
  }
}

/// Sets the kinds of cores of hybrid processors: 1 is the most efficient kind, higher numbers are
/// faster. Kinds that hwloc cannot rank stay 0.
void fill_kinds(hwloc_topology_t hwloc, const CoresOf& cores_of, Topology& topology) {
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
    for (const int core : cores_of(members.get())) {
      topology.cores[static_cast<std::size_t>(core)].kind = efficiency + 1;
    }
  }
}

MachineFile describe(hwloc_topology_t hwloc) {
  MachineFile file;
  file.plait_version = PLAIT_VERSION;
  file.created = utc_now();
  fill_cores(hwloc, file.topology);
  const CoresOf cores_of(file.topology);
  fill_packages(hwloc, cores_of, file);
  fill_numa_nodes(hwloc, cores_of, file.topology);
  fill_caches(hwloc, cores_of, file.topology);
  fill_kinds(hwloc, cores_of, file.topology);
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

/// The objects of the last level of a synthetic description, at most about 2^63: the product of its
/// numbers ("pack:2 core:4"), without those in brackets, which describe memory and attributes.
double objects_in(const std::string& description) {
  double product = 1;
  int inside = 0;
  for (std::size_t at = 0; at < description.size(); ++at) {
    const char c = description[at];
    inside += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    const bool begins = at == 0 || description[at - 1] == ' ' || description[at - 1] == ':';
    double number = 0;
    const char* const begin = description.data() + at;
    if (inside == 0 && begins &&
        std::from_chars(begin, description.data() + description.size(), number).ec == std::errc{} &&
        number > 1) {
      product *= number;
    }
  }
  return product;
}

/// Returns describe() of a topology that `load` loads, without the risk that foreign input makes
/// hwloc crash, hang or fill the memory: it runs in a child process.
/// @param input  as errors name it
/// @param load   returns false when the input is not a topology; may set fields of the file
/// @param what   the input should be
MachineFile describe_foreign(const std::string& input, const char* what, const char* remedy,
                             const std::function<bool(hwloc_topology_t, MachineFile&)>& load) {
  const ChildOutcome outcome = run_in_child([&] {
    const Handle hwloc = new_topology();
    MachineFile file;
    bool loaded = false;
    try {
      loaded = load(hwloc.get(), file);
    } catch (const Error& error) {
      throw Error(input, error.what(), "");
    }
    if (!loaded) throw Error(input, std::string("not an ") + what, remedy);
    return nlohmann::json(file).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
  if (!outcome.error.empty()) {
    throw Error(input, "hwloc cannot read it: it " + outcome.error, remedy);
  }
  MachineFile file =
      convert_json(input, remedy, [&] { return parse_json(outcome.text).get<MachineFile>(); });
  file.topology.check(input);
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
  return describe_foreign(
      path.string(), "hwloc topology", "record it with lstopo --of xml",
      [&](hwloc_topology_t hwloc, MachineFile& file) {
        if (text.find("<topology") == std::string::npos || !std::in_range<int>(text.size() + 1) ||
            hwloc_topology_set_xmlbuffer(hwloc, text.c_str(), static_cast<int>(text.size() + 1)) !=
                0 ||
            hwloc_topology_load(hwloc) != 0) {
          return false;
        }
        file = describe(hwloc);
        file.origin =
            info(hwloc_get_root_obj(hwloc), "Backend") == "Synthetic" ? "synthetic" : "recorded";
        if (file.host.empty()) file.host = path.stem().string();
        return true;
      });
}

MachineFile discover_synthetic(const std::string& description) {
  const std::string input = fmt::format("\"{}\"", description);
  const char* const remedy = "write it like pack:2 [numa] l3:4 core:4 pu:2";
  if (objects_in(description) > kMostPu) {
    throw Error(input, fmt::format("has more than {} objects at a level", kMostPu), remedy);
  }
  return describe_foreign(input, "hwloc synthetic description", remedy,
                          [&](hwloc_topology_t hwloc, MachineFile& file) {
                            if (hwloc_topology_set_synthetic(hwloc, description.c_str()) != 0 ||
                                hwloc_topology_load(hwloc) != 0) {
                              return false;
                            }
                            file = describe(hwloc);
                            file.origin = "synthetic";
                            file.host = "synthetic";
                            file.os.clear();
                            file.notes.push_back("hwloc synthetic description: " + description);
                            return true;
                          });
}

}  // namespace plait::machine
