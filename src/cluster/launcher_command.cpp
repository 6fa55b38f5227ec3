// SPDX-License-Identifier: BSD-3-Clause
// Launcher commands that start their ranks on a cluster's nodes.
#include "cluster/launcher_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string_view>

#include "base/json_file.hpp"
#include "base/layout.hpp"
#include "cluster/network.hpp"

namespace plait::cluster {
namespace {

using launcher::LaunchCommand;
using launcher::LauncherKind;
using Variables = std::vector<std::pair<std::string, std::string>>;

bool is_openmpi(LauncherKind kind) {
  return kind == LauncherKind::openmpi4 || kind == LauncherKind::openmpi5;
}

/// True if the command has one of these launcher options (without dashes) before a program.
bool has_option(const LaunchCommand& command, std::initializer_list<std::string_view> names) {
  std::size_t at = command.launcher_index + 1;
  for (const launcher::Application& application : command.applications) {
    while (at < application.index && command.argv[at].starts_with('-')) {
      std::string_view name = command.argv[at];
      name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
      name = name.substr(0, name.find('='));
      if (std::find(names.begin(), names.end(), name) != names.end()) return true;
      at += launcher::option_length(command.launcher.kind, command.argv[at]);
    }
    at = application.index + application.argv.size() + 1;
  }
  return false;
}

bool names_hosts(const LaunchCommand& command) {
  return has_option(command, {"host", "H", "hosts", "hostlist", "hostfile", "machinefile",
                              "machine", "f", "default-hostfile", "add-host", "add-hostfile",
                              "rankfile", "rf", "configfile", "nolocal", "hosts-group"});
}

/// Ranks per node, as even as possible.
std::vector<int> even_blocks(int ranks, std::size_t nodes) {
  const auto count = static_cast<int>(nodes);
  std::vector<int> blocks(nodes, ranks / count);
  for (int node = 0; node < ranks % count; ++node) ++blocks[static_cast<std::size_t>(node)];
  return blocks;
}

bool more_ranks_than_cores(const Cluster& cluster, const LaunchCommand& command) {
  return command.ranks &&
         even_blocks(*command.ranks, cluster.nodes.size()).front() > cluster.nodes.front().cores;
}

/// Writes a host file for Open MPI or Hydra: a node and its number of ranks per line.
std::string host_file(const Cluster& cluster, const std::vector<int>& slots, bool openmpi) {
  std::string text;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] == 0) continue;
    text += fmt::format("{}{}{}\n", cluster.nodes[i].name, openmpi ? " slots=" : ":", slots[i]);
  }
  const auto total = std::to_string(std::accumulate(slots.begin(), slots.end(), 0));
  const auto path =
      cluster.folder / fmt::format("hosts-{}-{}", openmpi ? "openmpi" : "hydra", total);
  write_text_file(path, text);
  return path.string();
}

/// Settings for every job: the remote shell, the network, no binding by the launcher.
Variables settings(const Cluster& cluster) {
  const std::string shell = (install_layout().libexec / "plait-node-shell").string();
  Variables all{{"OMPI_MCA_plm", "rsh"},
                {"OMPI_MCA_plm_rsh_agent", shell},
                {"OMPI_MCA_plm_rsh_no_tree_spawn", "1"},
                {"OMPI_MCA_oob_tcp_if_include", kInterface},
                {"OMPI_MCA_btl_tcp_if_include", kInterface},
                {"OMPI_MCA_pml", "ob1"},
                {"OMPI_MCA_hwloc_base_binding_policy", "none"},
                {"OMPI_MCA_rmaps_base_mapping_policy", "slot"},
                {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                {"PRTE_MCA_plm", "ssh"},
                {"PRTE_MCA_plm_ssh_agent", shell},
                {"PRTE_MCA_plm_ssh_no_tree_spawn", "1"},
                {"PRTE_MCA_prte_if_include", kInterface},
                {"PRTE_MCA_hwloc_default_binding_policy", "none"},
                {"PRTE_MCA_rmaps_default_mapping_policy", "slot:oversubscribe"},
                {"HYDRA_LAUNCHER", "ssh"},
                {"HYDRA_LAUNCHER_EXEC", shell},
                {"HYDRA_IFACE", kInterface},
                {"I_MPI_HYDRA_BOOTSTRAP", "ssh"},
                {"I_MPI_HYDRA_BOOTSTRAP_EXEC", shell},
                {"I_MPI_HYDRA_IFACE", kInterface},
                {"I_MPI_FABRICS", "shm:ofi"},
                {"I_MPI_PIN", "0"},
                {"FI_PROVIDER", "tcp"},
                {"UCX_TLS", "tcp,self"},
                {"UCX_NET_DEVICES", kInterface}};
  if (cluster.user_namespace || ::geteuid() == 0) {
    for (const char* prefix : {"OMPI", "PRTE"}) {
      all.emplace_back(fmt::format("{}_ALLOW_RUN_AS_ROOT", prefix), "1");
      all.emplace_back(fmt::format("{}_ALLOW_RUN_AS_ROOT_CONFIRM", prefix), "1");
    }
  }
  return all;
}

void add_hosts(const Cluster& cluster, const std::vector<int>& slots, bool openmpi, bool hydra,
               Variables& variables) {
  if (openmpi) {
    const std::string file = host_file(cluster, slots, true);
    variables.emplace_back("OMPI_MCA_orte_default_hostfile", file);
    variables.emplace_back("PRTE_MCA_prte_default_hostfile", file);
  }
  if (hydra) {
    const std::string file = host_file(cluster, slots, false);
    variables.emplace_back("HYDRA_HOST_FILE", file);
    variables.emplace_back("I_MPI_HYDRA_HOST_FILE", file);
  }
}

/// Folders of Intel MPI, in case its setup script was not run.
void add_intel_folders(const LaunchCommand& command, Variables& variables) {
  const auto root = std::filesystem::path(command.launcher.path).parent_path().parent_path();
  if (root.empty()) return;
  variables.emplace_back("I_MPI_ROOT", root.string());
  for (const char* folder : {"opt/mpi/libfabric/lib/prov", "libfabric/lib/prov", "lib"}) {
    if (std::filesystem::exists(root / folder / "libtcp-fi.so")) {
      variables.emplace_back("FI_PROVIDER_PATH", (root / folder).string());
      return;
    }
  }
}

/// True for what starts processes on the nodes. Container images set it so that jobs stay on
/// one node.
bool starts_processes(const std::string& name) {
  return name.find("_MCA_plm") != std::string::npos || name.starts_with("HYDRA_LAUNCHER") ||
         name.starts_with("I_MPI_HYDRA_BOOTSTRAP");
}

/// NAME=value, without the variables that the user has set, except those that start processes.
std::vector<std::string> assignments(const Variables& variables) {
  std::vector<std::string> list;
  for (const auto& [name, value] : variables) {
    const char* const set = std::getenv(name.c_str());
    if (set == nullptr || set[0] == '\0' || starts_processes(name)) {
      list.push_back(name + "=" + value);
    }
  }
  return list;
}

std::vector<int> slots_of(const Cluster& cluster) {
  std::vector<int> slots;
  for (const Node& node : cluster.nodes) slots.push_back(node.cores);
  return slots;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ClusterCommand::variables() const {
  Variables pairs;
  for (const std::string& assignment : environment) {
    const std::size_t equals = assignment.find('=');
    pairs.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return pairs;
}

ClusterCommand on_cluster(const Cluster& cluster, const LaunchCommand& command) {
  Variables variables = settings(cluster);
  const LauncherKind kind = command.launcher.kind;
  const bool openmpi = is_openmpi(kind);
  const bool many = more_ranks_than_cores(cluster, command);
  if (openmpi) {
    const char* shared_memory = kind == LauncherKind::openmpi4 ? "vader" : "sm";
    variables.emplace_back("OMPI_MCA_btl", fmt::format("tcp,{},self", shared_memory));
  }
  // Where cores are shared, a spinning rank keeps the rank it waits for off the core.
  if (many || cluster.shares_cores()) {
    variables.emplace_back("OMPI_MCA_mpi_yield_when_idle", "1");
    variables.emplace_back("I_MPI_THREAD_YIELD", "3");  // by a short sleep
  }
  if (kind == LauncherKind::intel) add_intel_folders(command, variables);
  std::vector<std::string> argv = command.argv;
  if (!names_hosts(command)) {
    const bool counted =
        command.ranks && !has_option(command, {"ppn", "perhost", "grr", "N", "npernode", "ppr"});
    const std::vector<int> slots =
        counted ? even_blocks(*command.ranks, cluster.nodes.size()) : slots_of(cluster);
    if (kind == LauncherKind::intel && counted) {
      // Intel's Hydra reads only the names from a host file.
      const auto behind = argv.begin() + static_cast<std::ptrdiff_t>(command.launcher_index) + 1;
      argv.insert(behind, {"-machinefile", host_file(cluster, slots, false)});
    } else {
      add_hosts(cluster, slots, openmpi || kind == LauncherKind::none, !openmpi, variables);
    }
  }
  return {argv, assignments(variables)};
}

ClusterCommand on_cluster(const Cluster& cluster, const std::vector<std::string>& command) {
  std::size_t at = launcher::behind_wrappers(command, 0);
  if (at < command.size() && std::filesystem::path(command[at]).filename() == "plait") {
    const auto launcher = std::find_if(command.begin() + static_cast<std::ptrdiff_t>(at),
                                       command.end(), launcher::is_launcher_name);
    at = static_cast<std::size_t>(launcher - command.begin());
  }
  LaunchCommand parsed;
  if (at < command.size() && launcher::is_launcher_name(command[at])) {
    parsed = launcher::parse_command(launcher::identify_launcher(command[at]), command, at);
  }
  parsed.argv = command;
  return on_cluster(cluster, parsed);
}

}  // namespace plait::cluster
