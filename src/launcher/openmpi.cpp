// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's launchers: ORTE's of Open MPI 4 (mpirun, orterun) and PRRTE's of Open MPI 5 (prterun).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "launcher/command_options.hpp"
#include "launcher/launcher_traits.hpp"
#include "launcher/option_lists.hpp"

namespace plait::launcher {
namespace {

/// Options with one value: Open MPI 4.1 (mpirun --help full) and 5.0 (PRRTE 3, prterun --help).
/// Both take names with one or two dashes. Options in neither list have no value.
constexpr std::array<std::string_view, 66> kOpenMpiOne{"add-host",
                                                       "add-hostfile",
                                                       "am",
                                                       "amca",
                                                       "app",
                                                       "app-pmix-prefix",
                                                       "bind-to",
                                                       "c",
                                                       "cartofile",
                                                       "cf",
                                                       "cpu-list",
                                                       "cpu-set",
                                                       "cpus-per-proc",
                                                       "cpus-per-rank",
                                                       "debugger",
                                                       "default-hostfile",
                                                       "display",
                                                       "dvm",
                                                       "forward-signals",
                                                       "gpu-support",
                                                       "H",
                                                       "hnp",
                                                       "host",
                                                       "hostfile",
                                                       "keepalive",
                                                       "launch-agent",
                                                       "machinefile",
                                                       "map-by",
                                                       "max-restarts",
                                                       "max-vm-size",
                                                       "N",
                                                       "n",
                                                       "np",
                                                       "npernode",
                                                       "npersocket",
                                                       "ompi-server",
                                                       "output",
                                                       "output-filename",
                                                       "path",
                                                       "personality",
                                                       "pmix-prefix",
                                                       "ppr",
                                                       "prefix",
                                                       "preload-files",
                                                       "pset",
                                                       "rank-by",
                                                       "rankfile",
                                                       "report-events",
                                                       "report-pid",
                                                       "report-uri",
                                                       "rf",
                                                       "runtime-options",
                                                       "set-cwd-to",
                                                       "singleton",
                                                       "slot-list",
                                                       "spawn-timeout",
                                                       "stdin",
                                                       "timeout",
                                                       "tmpdir",
                                                       "tune",
                                                       "unset-env",
                                                       "wd",
                                                       "wdir",
                                                       "x",
                                                       "xml-file",
                                                       "xterm"};

/// Options with a name and a value.
constexpr std::array<std::string_view, 12> kOpenMpiTwo{
    "append-env", "gmca",    "gomca",   "gpmixmca",    "gprtemca", "mca",
    "omca",       "opalmca", "pmixmca", "prepend-env", "prtemca",  "set-env"};

std::vector<std::string> host_options() {
  return {"H", "host", "hostfile", "machinefile", "default-hostfile", "add-host", "add-hostfile"};
}

std::vector<std::string> placement_options() {
  return {"map-by",       "bind-to",        "cpu-set",       "cpu-list",     "rank-by",
          "bind-to-core", "bind-to-socket", "bycore",        "byslot",       "bynode",
          "bysocket",     "npersocket",     "cpus-per-proc", "cpus-per-rank"};
}

/// True if options of the command may make Open MPI start ranks on other nodes.
bool names_hosts(const LaunchCommand& command) {
  static constexpr std::array<std::string_view, 8> kOptions{
      "H",        "host",         "hostfile", "machinefile", "default-hostfile",
      "add-host", "add-hostfile", "rankfile"};
  return std::any_of(command.argv.begin(), command.argv.end(), [](const std::string& argument) {
    if (!argument.starts_with('-')) return false;
    const std::string_view name = std::string_view(argument).substr(
        std::min(argument.find_first_not_of('-'), argument.size()));
    return std::find(kOptions.begin(), kOptions.end(), name.substr(0, name.find('='))) !=
           kOptions.end();
  });
}

/// True if Open MPI gets its nodes from a resource manager or a default file of hosts.
bool in_allocation() {
  static constexpr std::array<const char*, 5> kNames{
      "SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID", "PE_HOSTFILE", "OMPI_MCA_orte_default_hostfile"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

void open_mpi_rankfile(const Plan& plan, bool old, const std::string& file,
                       PlacementOptions& added) {
  std::string& text = added.files["rankfile"];
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    const RankPlaces& place = plan.places[rank];
    text += fmt::format("rank {}={} slot={}\n", rank, name_of(place.node), place.cores.format());
  }
  const bool shared = ranks_overlap(plan);
  if (old) {
    added.options = {"--rankfile", file};
    if (shared) {
      added.options.insert(added.options.end(),
                           {"--oversubscribe", "--bind-to", "cpu-list:overload-allowed"});
    }
    return;
  }
  added.options = {"--map-by", "rankfile:file=" + file + (shared ? ":oversubscribe" : ""),
                   "--bind-to", shared ? "core:overload-allowed" : "core"};
}

/// The hosts of several programs. Open MPI 4 takes a hostfile as that of one program and the
/// default one as that of all. Open MPI 5 reads the file of seq from its first line for each
/// program, and a rankfile once for all.
void open_mpi_hosts_of_all(const Plan& plan, bool old, const std::filesystem::path& folder,
                           PlacementOptions& added) {
  if (old) {
    added.files["hosts"] = one_line_per_rank(plan, "");
    added.options = {"--map-by", "seq", "--default-hostfile", (folder / "hosts").string()};
    added.drop = host_options();
    return;
  }
  std::string& text = added.files["rankfile"];
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    text += fmt::format("rank {}={} slot=*\n", rank, name_of(plan.places[rank].node));
  }
  added.options = {"--map-by", "rankfile:file=" + (folder / "rankfile").string()};
}

/// Names the host of each rank, unless all ranks are on this node.
void open_mpi_hosts(const Plan& plan, bool old, const std::filesystem::path& folder,
                    std::size_t programs, PlacementOptions& added) {
  if (only_here(plan)) {
    if (!ranks_overlap(plan)) return;
    if (old) {
      added.options = {"--oversubscribe"};
    } else {
      added.options = {"--map-by", ":oversubscribe"};
    }
    return;
  }
  if (programs > 1) return open_mpi_hosts_of_all(plan, old, folder, added);
  added.files["hosts"] = one_line_per_rank(plan, "");
  const std::string file = (folder / "hosts").string();
  if (old) {
    added.options = {"--map-by", "seq", "--hostfile", file};
    added.drop = host_options();
  } else {
    added.options = {"--map-by", "seq:file=" + file};
  }
}

/// True if a version is of Open MPI 4 or older.
bool is_old(const std::string& version) {
  return !version.empty() && std::atoi(version.c_str()) < 5;
}

/// Open MPI 5 replaced ORTE's launcher by PRRTE's; options and their meaning changed with it.
class OpenMpi : public LauncherTraits {
public:
  explicit OpenMpi(bool old)
      : LauncherTraits({.kind = old ? LauncherKind::openmpi4 : LauncherKind::openmpi5,
                        .id = old ? "openmpi4" : "openmpi5",
                        .mpi = "openmpi",
                        .title = old ? "Open MPI 4" : "Open MPI 5",
                        .mpi_title = "Open MPI",
                        .abi = "openmpi",
                        .ranks = {"n", "np", "c"},
                        .folder = {"wdir", "wd"},
                        .hosts = host_options(),
                        .placement = placement_options(),
                        .first_part_sets_all = !old,
                        .may_hang_at_end = old}),
        old_(old) {}

  bool covers(const std::string& version) const override { return is_old(version) == old_; }

  std::optional<std::string> version_in(const std::string& text) const override {
    const auto has = [&](const char* part) { return text.find(part) != text.npos; };
    if (has("(OpenRTE)") || has("(Open MPI)")) {
      std::string version = first_match(text, R"(\)\s+([0-9][0-9a-z.]*))");
      return covers(version) ? std::optional(std::move(version)) : std::nullopt;
    }
    // PRRTE under its own name is Open MPI 5's launcher; it does not know the version of Open MPI.
    // MPICH's launcher (HYDRA) may print the name among its configure options.
    const bool prrte = has("prrte") || has("PRRTE") || has("help-prterun");
    return prrte && !has("HYDRA") && covers("") ? std::optional<std::string>("") : std::nullopt;
  }

  std::optional<JobRank> rank_in(const Lookup& value) const override {
    const auto rank = whole_number(value("OMPI_COMM_WORLD_RANK"));
    // ORTE (Open MPI 4) passes its parameters to ranks, PRRTE (5) does not.
    const std::string transports = value("OMPI_MCA_orte_precondition_transports");
    const bool orte = !value("OMPI_MCA_orte_ess_num_procs").empty() || !transports.empty();
    if (!rank || orte != old_) return std::nullopt;
    JobRank job;
    job.rank = *rank;
    job.size = whole_number(value("OMPI_COMM_WORLD_SIZE")).value_or(0);
    job.launcher.kind = facts().kind;
    job.launcher.version = old_ ? "4" : "5";
    job.key = value("PMIX_NAMESPACE") + transports;
    return job;
  }

  std::size_t option_length(const std::string& option) const override {
    return listed_option_length(option, kOpenMpiOne, kOpenMpiTwo);
  }

  /// Ranks on this node inherit variables; ranks on other nodes need -x, in each part.
  Options exporting(const LaunchCommand& command, const Assignments& variables) const override {
    if (!names_hosts(command) && !in_allocation()) return command.argv;
    Options options;
    for (const auto& [name, value] : variables) options.insert(options.end(), {"-x", name});
    Options result = command.argv;
    for (std::size_t part = command.applications.size(); part-- > 0;) {
      insert_options(result, part_begin(command, part), options);
    }
    return result;
  }

  Options bind_options(int threads) const override {
    return {"--map-by", threads == 1 ? "core" : fmt::format("slot:PE={}", threads), "--bind-to",
            "core"};
  }
  Options cpu_list_options(const std::string& cpus) const override {
    return {"--cpu-set", cpus, "--bind-to", "core"};
  }
  Options yield_options() const override { return {"--mca", "mpi_yield_when_idle", "1"}; }

  /// A rankfile if the places are whole cores, else a host for each rank.
  PlacementOptions place(const Plan& plan, const std::string& version,
                         const std::filesystem::path& folder,
                         const SaidBefore& said) const override;

  Options unbound_here(int ranks) const override {
    Options options{"--host", fmt::format("localhost:{}", ranks), "--bind-to", "none"};
    if (old_) {
      options.insert(options.end(), {"--oversubscribe", "--mca", "mpi_yield_when_idle", "0"});
    } else {
      options.insert(options.end(), {"--map-by", ":OVERSUBSCRIBE"});
    }
    return options;
  }
  Options unbound_on(const std::vector<std::string>& nodes, int per_node) const override {
    return {"--host", host_counts(nodes, per_node), "--map-by", "slot", "--bind-to", "none"};
  }
  AsyncProgress async_progress() const override {
    return {"--mca btl_tcp_progress_thread 1", "OMPI_MCA_btl_tcp_progress_thread", "1"};
  }

private:
  bool old_;  ///< Open MPI 4
};

PlacementOptions OpenMpi::place(const Plan& plan, [[maybe_unused]] const std::string& version,
                                const std::filesystem::path& folder, const SaidBefore& said) const {
  PlacementOptions added;
  const bool bound = is_bound(plan);
  const bool cores = std::all_of(plan.places.begin(), plan.places.end(), [](const auto& place) {
    return !place.pus.empty() && !place.cores.empty();
  });
  const bool keep_binding = !bound && (said.binding || only_here(plan));
  if (cores) {
    open_mpi_rankfile(plan, old_, (folder / "rankfile").string(), added);
  } else {
    open_mpi_hosts(plan, old_, folder, said.programs, added);
    if (!keep_binding) added.options.insert(added.options.end(), {"--bind-to", "none"});
    added.binder = bound;
  }
  // Open MPI lets waiting ranks yield only if a node has more ranks than slots.
  if (crowded(plan)) added.environment["OMPI_MCA_mpi_yield_when_idle"] = "1";
  if (added.drop.empty() && !only_here(plan) && !said.hosts) {
    std::vector<std::string> hosts;
    for (const PlanNode& node : nodes_of(plan)) {
      hosts.push_back(fmt::format("{}:{}", name_of(node.name), node.ranks));
    }
    added.options.insert(added.options.end(), {"--host", fmt::format("{}", fmt::join(hosts, ","))});
  }
  for (const std::string& option : placement_options()) {
    if (!(keep_binding && option.compare(0, 7, "bind-to") == 0)) added.drop.push_back(option);
  }
  added.drop.insert(added.drop.end(), {"rankfile", "rf", "npernode", "pernode", "N", "ppr",
                                       "oversubscribe", "nooversubscribe"});
  return added;
}

}  // namespace

const LauncherTraits& openmpi4() {
  static const OpenMpi traits(true);
  return traits;
}

const LauncherTraits& openmpi5() {
  static const OpenMpi traits(false);
  return traits;
}

}  // namespace plait::launcher
