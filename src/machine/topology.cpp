// SPDX-License-Identifier: BSD-3-Clause
// The parts of a node, and those that a job may use.
#include "machine/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.hpp"
#include "plait/error.hpp"

namespace plait::machine {
namespace {

template <typename Group>
void check_group(const Topology& topology, const std::string& name, const char* what,
                 const std::vector<Group>& groups) {
  const int n = static_cast<int>(topology.cores.size());
  for (const Group& group : groups) {
    for (const int core : group.cores) {
      if (core < 0 || core >= n) {
        throw Error(name, fmt::format("damaged: a {} refers to core {} of {}", what, core, n),
                    "write it again");
      }
    }
  }
}

}  // namespace

int Topology::total_pus() const {
  std::size_t sum = 0;
  for (const Core& core : cores) sum += core.pus.size();
  return static_cast<int>(sum);
}

bool Topology::core_allowed(int core) const {
  return !allowed_pus_of(core).empty();
}

std::vector<int> Topology::allowed_cores() const {
  std::vector<int> ids;
  for (const Core& core : cores) {
    if (core_allowed(core.id)) ids.push_back(core.id);
  }
  return ids;
}

std::vector<int> Topology::allowed_pus_of(int core) const {
  std::vector<int> allowed;
  for (const int pu : cores.at(static_cast<std::size_t>(core)).pus) {
    if (allowed_pus.test(pu)) allowed.push_back(pu);
  }
  return allowed;
}

int Topology::usable_cores() const {
  const int allowed = static_cast<int>(allowed_cores().size());
  if (!cgroup_quota_cores) return std::max(allowed, 1);
  return std::clamp(static_cast<int>(std::floor(*cgroup_quota_cores)), 1, std::max(allowed, 1));
}

int Topology::core_of_pu(int pu) const {
  for (const Core& core : cores) {
    if (std::find(core.pus.begin(), core.pus.end(), pu) != core.pus.end()) return core.id;
  }
  return -1;
}

CpuSet Topology::pus_of(const std::vector<int>& core_ids) const {
  CpuSet set;
  for (const int id : core_ids) set |= CpuSet::of(cores.at(static_cast<std::size_t>(id)).pus);
  return set;
}

std::vector<int> Topology::cores_of(const CpuSet& pus) const {
  std::vector<int> ids;
  for (const Core& core : cores) {
    if (std::any_of(core.pus.begin(), core.pus.end(), [&](int pu) { return pus.test(pu); })) {
      ids.push_back(core.id);
    }
  }
  return ids;
}

std::vector<int> Topology::numa_of(const std::vector<int>& core_ids) const {
  std::set<int> ids;
  for (const int id : core_ids) {
    const int numa = cores.at(static_cast<std::size_t>(id)).numa;
    if (numa >= 0) ids.insert(numa);
  }
  return {ids.begin(), ids.end()};
}

std::uint64_t Topology::last_level_cache_bytes() const {
  int level = 0;
  for (const Cache& cache : caches) level = std::max(level, cache.level);
  std::uint64_t sum = 0;
  for (const Cache& cache : caches) sum += cache.level == level ? cache.size_bytes : 0;
  return sum;
}

void Topology::check(const std::string& name) const {
  if (cores.empty()) throw Error(name, "damaged: it has no cores", "write it again");
  std::set<int> pus;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const Core& core = cores[i];
    if (core.id != static_cast<int>(i)) {
      throw Error(name, fmt::format("damaged: core {} is at index {}", core.id, i),
                  "write it again");
    }
    if (core.pus.empty()) {
      throw Error(name, fmt::format("damaged: core {} has no hardware thread", core.id),
                  "write it again");
    }
    for (const int pu : core.pus) {
      if (pu < 0 || pu > kMostPu || !pus.insert(pu).second) {
        throw Error(name,
                    fmt::format("damaged: hardware thread {} occurs twice or is not one of 0 to {}",
                                pu, kMostPu),
                    "write it again");
      }
    }
  }
  check_group(*this, name, "package", packages);
  check_group(*this, name, "NUMA domain", numa_nodes);
  check_group(*this, name, "cache", caches);
  if (allowed_cores().empty()) {
    throw Error(name, "damaged: no core is allowed", "write it again");
  }
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Package, id, cores)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NumaNode, id, memory_bytes, cores)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cache, level, type, size_bytes, line_bytes, cores)

static void to_json(nlohmann::json& json, const Core& core) {
  json = {{"id", core.id}, {"package", core.package}, {"numa", core.numa}, {"pus", core.pus}};
  if (core.kind != 0) json["kind"] = core.kind;
}

static void from_json(const nlohmann::json& json, Core& core) {
  json.at("id").get_to(core.id);
  json.at("package").get_to(core.package);
  json.at("numa").get_to(core.numa);
  json.at("pus").get_to(core.pus);
  core.kind = json.value("kind", 0);
}

void to_json(nlohmann::json& json, const Topology& topology) {
  json = {{"packages", topology.packages},
          {"numa_nodes", topology.numa_nodes},
          {"caches", topology.caches},
          {"cores", topology.cores},
          {"total_pus", topology.total_pus()},
          {"allowed_pus", topology.allowed_pus.format()},
          {"allowed_cores", topology.allowed_cores().size()},
          {"cgroup_quota_cores", nullptr}};
  if (topology.cgroup_quota_cores) json["cgroup_quota_cores"] = *topology.cgroup_quota_cores;
}

void from_json(const nlohmann::json& json, Topology& topology) {
  json.at("packages").get_to(topology.packages);
  json.at("numa_nodes").get_to(topology.numa_nodes);
  json.at("caches").get_to(topology.caches);
  json.at("cores").get_to(topology.cores);
  topology.allowed_pus = CpuSet::parse(json.at("allowed_pus").get<std::string>());
  topology.cgroup_quota_cores.reset();
  const auto quota = json.find("cgroup_quota_cores");
  if (quota != json.end() && !quota->is_null()) topology.cgroup_quota_cores = quota->get<double>();
}

}  // namespace plait::machine
