// SPDX-License-Identifier: BSD-3-Clause
// Settings that plait tune --platform has found, by the machine and the job that they are for.
#include "advise/tuned_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "base/environment.hpp"
#include "base/json_file.hpp"
#include "base/short_hash.hpp"
#include "base/user_data.hpp"
#include "launcher/launcher_traits.hpp"
#include "launcher/slurm_allocation.hpp"
#include "machine/discover.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::advise {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSchema = "plait-tuned";
constexpr int kVersion = 1;
constexpr const char* kName = "tuned.json";

fs::path folder_or_default(const fs::path& folder) {
  return folder.empty() ? user_data_folder() / "tuned" : folder;
}

std::string key_of(const TunedFor& job) {
  return fmt::format(
      "{}-{}-{}x{}-{}", job.mpi, job.mpi_version, job.nodes, job.ranks_per_node,
      short_hash(job.machine + "\n" + job.fabric + "\n" + std::to_string(job.ranks)));
}

std::string fabric_of(int nodes) {
  if (nodes <= 1) return "shared memory";
  std::vector<std::string> adapters;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/sys/class/infiniband", none)) {
    adapters.push_back(entry.path().filename().string());
  }
  std::sort(adapters.begin(), adapters.end());
  return adapters.empty() ? "tcp" : fmt::format("{}", fmt::join(adapters, ","));
}

/// The number of hosts that a command names; nothing if they are named elsewhere.
std::optional<int> named_hosts(const launcher::LaunchCommand& command) {
  const std::vector<std::string>& names = launcher::traits_of(command.launcher.kind).facts().hosts;
  const std::size_t end = command.applications.front().index;
  for (std::size_t at = command.launcher_index + 1; at < end; ++at) {
    const std::string& argument = command.argv[at];
    const std::size_t begin = argument.find_first_not_of('-');
    if (begin == 0 || begin == std::string::npos) continue;
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(begin, equals - begin);
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    if (name.find("file") != std::string::npos || name == "f") return std::nullopt;
    const std::string list = equals != std::string::npos ? argument.substr(equals + 1)
                             : at + 1 < end              ? command.argv[at + 1]
                                                         : "";
    return 1 + static_cast<int>(std::count(list.begin(), list.end(), ','));
  }
  // plait cluster tells the launcher of its nodes by other means.
  if (!environment_value("PLAIT_CLUSTER").empty()) return std::nullopt;
  const auto allocation = launcher::slurm_allocation();
  return allocation ? static_cast<int>(allocation->nodes.size()) : 1;
}

/// How another job differs; empty: not at all.
std::vector<std::string> differences(const TunedFor& stored, const TunedFor& job) {
  std::vector<std::string> all;
  const auto compare = [&](const char* what, const auto& was, const auto& is) {
    if (was != is) all.push_back(fmt::format("{} {} instead of {}", what, was, is));
  };
  compare("machine", stored.machine, job.machine);
  compare("MPI", stored.mpi, job.mpi);
  compare("version", stored.mpi_version, job.mpi_version);
  compare("fabric", stored.fabric, job.fabric);
  compare("nodes:", stored.nodes, job.nodes);
  compare("ranks:", stored.ranks, job.ranks);
  compare("ranks per node:", stored.ranks_per_node, job.ranks_per_node);
  return all;
}

}  // namespace

std::string machine_name(const machine::Topology& topology, const std::string& model) {
  return fmt::format("{}: {}, {}, {}", model, counted(topology.packages.size(), "package"),
                     counted(topology.cores.size(), "core"),
                     counted(topology.total_pus(), "hardware thread"));
}

TunedFor job_on(const launcher::Launcher& launcher, int nodes, int ranks) {
  const machine::MachineFile here = machine::discover_local({.own_affinity = false});
  return {machine_name(here.topology, here.cpu_model),
          launcher::kind_name(launcher.kind),
          launcher.version,
          fabric_of(nodes),
          nodes,
          ranks,
          (ranks + nodes - 1) / nodes};
}

TunedFor job_of(const launcher::LaunchCommand& command) {
  const std::optional<int> nodes = named_hosts(command);
  if (!command.ranks || !nodes || *nodes < 1) {
    throw Error("the command",
                fmt::format("does not say its number of {}", command.ranks ? "nodes" : "ranks"),
                command.ranks ? "name the hosts in place of a file" : "give -n");
  }
  return job_on(command.launcher, *nodes, *command.ranks);
}

std::string job_text(const TunedFor& job) {
  return fmt::format(
      "{}, {} on {}",
      launcher::mpi_title({launcher::kind_of(job.mpi, job.mpi_version), job.mpi_version, {}, {}}),
      counted(job.ranks, "rank"), counted(job.nodes, "node"));
}

std::vector<std::string> settings_lines(const launcher::Plan& plan) {
  std::vector<std::string> lines;
  const auto add = [&](bool has, const std::string& line) {
    if (has) lines.push_back(line);
  };
  const std::string folder = std::string(launcher::kFilesFolder) + "/";
  for (const auto& [name, value] : plan.environment) {
    const bool is_file = value.starts_with(folder);
    lines.push_back(is_file ? fmt::format("{}={}, a file in the run directory", name,
                                          value.substr(folder.size()))
                            : name + "=" + value);
  }
  for (const std::string& option : plan.launcher_options) lines.push_back(option);
  add(plan.threads > 0, fmt::format("OMP_NUM_THREADS={}", plan.threads));
  add(!plan.places.empty(), counted(plan.places.size(), "rank") + " placed on cores");
  add(plan.reorder, plan.reorder_always ? "--map-always" : "--map");
  add(!plan.wait.empty(), "--wait " + plan.wait);
  add(!plan.transport.empty(), "--transport=" + plan.transport);
  return lines;
}

fs::path store_settings(const TunedSettings& settings, const fs::path& folder) {
  const fs::path into = folder_or_default(folder) / key_of(settings.made_for);
  std::error_code error;
  fs::create_directories(into, error);
  if (error) throw Error(into.string(), error.message(), "set XDG_DATA_HOME to another folder");
  const TunedFor& job = settings.made_for;
  // The plan first: tuned.json says that it is there.
  if (settings.plan) launcher::save_plan(into / launcher::kPlanName, *settings.plan);
  write_json_file(into / kName, {{"schema", kSchema},
                                 {"schema_version", kVersion},
                                 {"plait_version", PLAIT_VERSION},
                                 {"created", settings.created},
                                 {"host", settings.host},
                                 {"made_for",
                                  {{"machine", job.machine},
                                   {"mpi", job.mpi},
                                   {"mpi_version", job.mpi_version},
                                   {"fabric", job.fabric},
                                   {"nodes", job.nodes},
                                   {"ranks", job.ranks},
                                   {"ranks_per_node", job.ranks_per_node}}},
                                 {"has_plan", settings.plan.has_value()},
                                 {"findings", settings.findings}});
  return into;
}

TunedSettings load_settings(const fs::path& folder) {
  const fs::path file = folder / kName;
  const char* const again = "run plait tune --platform again";
  const json value = read_json_file(file, kSchema, kVersion, again);
  return convert_json(file, again, [&] {
    TunedSettings settings;
    const json& job = value.at("made_for");
    settings.made_for = {job.at("machine"),       job.at("mpi"),   job.at("mpi_version"),
                         job.at("fabric"),        job.at("nodes"), job.at("ranks"),
                         job.at("ranks_per_node")};
    settings.created = value.at("created");
    settings.host = value.at("host");
    settings.findings = value.at("findings").get<std::vector<std::string>>();
    if (value.at("has_plan").get<bool>()) settings.plan = launcher::load_plan(folder);
    settings.folder = folder;
    return settings;
  });
}

std::vector<TunedSettings> stored_settings(const fs::path& folder) {
  std::vector<TunedSettings> all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_or_default(folder), none)) {
    try {
      all.push_back(load_settings(entry.path()));
    } catch (const Error&) {
      continue;  // incomplete, or of another Plait
    }
  }
  std::sort(all.begin(), all.end(),
            [](const TunedSettings& a, const TunedSettings& b) { return a.created > b.created; });
  return all;
}

std::optional<TunedSettings> settings_for(const TunedFor& job,
                                          const std::vector<TunedSettings>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const TunedSettings& settings) {
    return settings.made_for == job;
  });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

TunedSettings require_settings(const TunedFor& job, const std::vector<TunedSettings>& all) {
  if (auto found = settings_for(job, all)) return *found;
  std::string reason = "nothing is stored";
  std::size_t fewest = ~std::size_t{0};
  for (const TunedSettings& settings : all) {
    const std::vector<std::string> different = differences(settings.made_for, job);
    if (different.size() >= fewest) continue;
    fewest = different.size();
    reason =
        fmt::format("what is stored was made for another job ({})", fmt::join(different, "; "));
  }
  throw Error(job_text(job), reason,
              fmt::format("plait tune --platform --ranks-per-node {} finds settings for it",
                          job.ranks_per_node));
}

}  // namespace plait::advise
