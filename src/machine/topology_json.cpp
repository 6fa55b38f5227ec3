// SPDX-License-Identifier: BSD-3-Clause
// The "topology" part of a machine file, to and from JSON.
#include <nlohmann/json.hpp>

#include "machine/topology.hpp"

namespace plait::machine {

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
