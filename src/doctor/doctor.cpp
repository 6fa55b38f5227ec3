// SPDX-License-Identifier: BSD-3-Clause
// Examines this system: what Plait can use, and what prevents it from measuring.
#include "doctor/doctor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwloc.h>

#include <algorithm>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/layout.hpp"
#include "base/user_data.hpp"
#include "launcher/launcher_traits.hpp"
#include "machine/discover.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::doctor {
namespace {

namespace fs = std::filesystem;

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

/// Lists a hazard of several MPIs once.
std::vector<Diagnosis::KnownHazard> known_hazards(const std::vector<InstalledMpi>& mpis) {
  std::vector<Diagnosis::KnownHazard> found;
  const std::vector<Hazard> all = load_hazards(install_layout().share / "hazards.json");
  for (const InstalledMpi& mpi : mpis) {
    for (const Hazard& hazard : hazards_of(all, mpi.launcher)) {
      const std::string title = launcher::mpi_title(mpi.launcher);
      const auto known = std::find_if(found.begin(), found.end(), [&](const auto& other) {
        return other.hazard.id == hazard.id;
      });
      if (known == found.end()) {
        found.push_back({hazard, title});
      } else if (known->found.find(title) == known->found.npos) {
        known->found += ", " + title;
      }
    }
  }
  return found;
}

constexpr std::size_t kLabel = 12;

/// A label and a text that is wrapped beside it; a word longer than a line stays whole.
std::string labelled(const std::string& label, const std::string& text) {
  return joined_lines(
      wrap_beside(pad(label, kLabel), text, kTerminalColumns, kAllLines, TooWide::whole));
}

bool has(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// True for srun.
bool starts_any_mpi(const launcher::Launcher& launcher) {
  return std::string(launcher::traits_of(launcher.kind).facts().abi).empty();
}

/// True if there is a preload object for the MPI libraries of this launcher.
bool is_measurable(const Diagnosis& diagnosis, const launcher::Launcher& launcher) {
  return has(diagnosis.preload_objects, launcher::traits_of(launcher.kind).facts().abi);
}

/// A table of names and paths beside a label; a path longer than a line stays whole.
Table beside_label() {
  return Table({text_column(""), text_column("")}, {0, false, kTerminalColumns - kLabel});
}

std::string mpi_lines(const Diagnosis& diagnosis) {
  Table table = beside_label();
  for (const InstalledMpi& mpi : diagnosis.mpis) {
    const bool measurable = starts_any_mpi(mpi.launcher) || is_measurable(diagnosis, mpi.launcher);
    table.add({launcher::mpi_title(mpi.launcher), mpi.launcher.path +
                                                      (mpi.first_in_path ? "  (mpiexec)" : "") +
                                                      (measurable ? "" : "  no preload object")});
  }
  return labelled("MPI",
                  table.empty() ? "none found: install one or load its module" : table.text());
}

std::string omp_lines(const Diagnosis& diagnosis) {
  Table table = beside_label();
  for (const run::OmpRuntime& runtime : diagnosis.omp_runtimes) {
    table.add({runtime.name + (runtime.ompt ? " with OMPT" : ", no OMPT"), runtime.path});
  }
  return labelled("OpenMP", table.empty() ? "no runtime found" : table.text());
}

std::string counters_text(const Rights& rights) {
  std::string text = rights.hardware_counters ? "hardware counters"
                                              : fmt::format("no hardware counters ({})",
                                                            rights.hardware_counters_problem);
  text += rights.software_counters ? ", software events" : ", no software events";
  if (rights.perf_event_paranoid) {
    text += fmt::format("; perf_event_paranoid {}", *rights.perf_event_paranoid);
  }
  text += "; plait run --counters help lists them";
  return text;
}

std::string copy_text(const Rights& rights) {
  std::string text = rights.cma
                         ? "process_vm_readv works (single-copy messages)"
                         : "process_vm_readv is not permitted: large messages are copied twice";
  if (rights.ptrace_scope) text += fmt::format("; ptrace_scope {}", *rights.ptrace_scope);
  return text;
}

}  // namespace

Diagnosis diagnose() {
  const InstallLayout layout = install_layout();
  Diagnosis diagnosis;
  diagnosis.plait_version = PLAIT_VERSION;
  diagnosis.host = host_name();
  const unsigned hwloc = hwloc_get_api_version();
  diagnosis.hwloc_version = fmt::format("{}.{}", hwloc >> 16, (hwloc >> 8) & 0xffU);
  diagnosis.allowed_cores =
      static_cast<int>(machine::discover_local().topology.allowed_cores().size());
  diagnosis.mpis = find_installed_mpis();
  diagnosis.slurm = launcher::find_slurm();
  diagnosis.omp_runtimes = run::find_omp_runtimes();
  diagnosis.rights = find_rights();
  for (const char* abi : {"openmpi", "mpich", "abi"}) {
    if (fs::exists(layout.preload / fmt::format("libplait-{}.so", abi))) {
      diagnosis.preload_objects.emplace_back(abi);
    }
  }
  diagnosis.report_page = fs::exists(layout.share / "report.html");
  const fs::path stored = machine_file_of_host(diagnosis.host);
  if (fs::exists(stored)) diagnosis.stored_machine = stored;
  diagnosis.hazards = known_hazards(diagnosis.mpis);
  diagnosis.quarantine = run::quarantined();
  return diagnosis;
}

nlohmann::json diagnosis_to_json(const Diagnosis& diagnosis) {
  nlohmann::json json{{"schema", "plait-doctor"},
                      {"schema_version", 1},
                      {"plait_version", diagnosis.plait_version},
                      {"host", diagnosis.host},
                      {"verdict", diagnosis_verdict(diagnosis)},
                      {"hwloc", diagnosis.hwloc_version},
                      {"allowed_cores", diagnosis.allowed_cores},
                      {"preload_objects", diagnosis.preload_objects},
                      {"report_page", diagnosis.report_page},
                      {"mpis", nlohmann::json::array()},
                      {"slurm", launcher::slurm_to_json(diagnosis.slurm)},
                      {"omp_runtimes", nlohmann::json::array()},
                      {"hazards", nlohmann::json::array()},
                      {"quarantine", nlohmann::json::array()}};
  json["stored_machine"] = diagnosis.stored_machine.empty()
                               ? nlohmann::json(nullptr)
                               : nlohmann::json(diagnosis.stored_machine.string());
  for (const InstalledMpi& mpi : diagnosis.mpis) {
    json["mpis"].push_back({{"kind", launcher::kind_name(mpi.launcher.kind)},
                            {"version", mpi.launcher.version},
                            {"launcher", mpi.launcher.path},
                            {"first_in_path", mpi.first_in_path},
                            {"libraries", mpi.libraries}});
  }
  for (const run::OmpRuntime& runtime : diagnosis.omp_runtimes) {
    json["omp_runtimes"].push_back(
        {{"name", runtime.name}, {"path", runtime.path}, {"ompt", runtime.ompt}});
  }
  const Rights& rights = diagnosis.rights;
  json["rights"] = {{"perf_event_paranoid", or_null(rights.perf_event_paranoid)},
                    {"hardware_counters", rights.hardware_counters},
                    {"hardware_counters_problem", rights.hardware_counters_problem},
                    {"software_counters", rights.software_counters},
                    {"ptrace_scope", or_null(rights.ptrace_scope)},
                    {"cma", rights.cma},
                    {"shm_bytes", rights.shm_bytes},
                    {"shm_free_bytes", rights.shm_free_bytes},
                    {"cgroup_quota_cores", or_null(rights.cgroup_quota_cores)}};
  for (const Diagnosis::KnownHazard& known : diagnosis.hazards) {
    json["hazards"].push_back({{"id", known.hazard.id},
                               {"found", known.found},
                               {"versions", known.hazard.versions},
                               {"what", known.hazard.what},
                               {"evidence", known.hazard.evidence},
                               {"remedy", known.hazard.remedy},
                               {"reproducer", known.hazard.reproducer}});
  }
  for (const run::Quarantined& entry : diagnosis.quarantine) {
    json["quarantine"].push_back({{"id", entry.id},
                                  {"mpi", entry.mpi},
                                  {"version", entry.version},
                                  {"host", entry.host},
                                  {"settings", entry.settings},
                                  {"ending", run::outcome_name(entry.what.kind)},
                                  {"words", entry.what.message},
                                  {"when", entry.when},
                                  {"command", entry.command}});
  }
  return json;
}

std::string diagnosis_verdict(const Diagnosis& diagnosis) {
  std::vector<std::string> usable;
  for (const InstalledMpi& mpi : diagnosis.mpis) {
    const std::string title = launcher::mpi_title(mpi.launcher);
    if (is_measurable(diagnosis, mpi.launcher) && !has(usable, title)) {
      usable.push_back(title);
    }
  }
  if (diagnosis.preload_objects.empty()) {
    return "Programs cannot be measured: the preload objects of Plait are missing.";
  }
  if (usable.empty()) return "No MPI was found that this Plait can measure.";
  std::string text = fmt::format("Programs of {} can be measured", fmt::join(usable, ", "));
  if (diagnosis.rights.cgroup_quota_cores &&
      *diagnosis.rights.cgroup_quota_cores < diagnosis.allowed_cores) {
    text += fmt::format(", but the cgroup quota is only {} of {} cores",
                        format_number(*diagnosis.rights.cgroup_quota_cores, Zeros::dropped),
                        diagnosis.allowed_cores);
  } else if (diagnosis.stored_machine.empty()) {
    text += "; this machine has not been measured yet";
  }
  return text + ".";
}

std::string diagnosis_text(const Diagnosis& diagnosis) {
  const Rights& rights = diagnosis.rights;
  std::string text = labelled("Verdict", diagnosis_verdict(diagnosis)) + "\n";
  text += mpi_lines(diagnosis);
  text += labelled("Slurm", launcher::slurm_text(diagnosis.slurm));
  text += omp_lines(diagnosis);
  text += labelled("Preload", diagnosis.preload_objects.empty()
                                  ? "none: install Plait again"
                                  : fmt::format("{}", fmt::join(diagnosis.preload_objects, ", ")));
  text +=
      labelled("Report", diagnosis.report_page
                             ? "HTML page available"
                             : "no HTML page (building it needs Node.js); terminal and JSON only");
  text += labelled("Machine", diagnosis.stored_machine.empty()
                                  ? "not measured"
                                  : fmt::format("measured: {}", diagnosis.stored_machine.string()));
  text += labelled(
      "Cores",
      fmt::format("{} allowed, {}; hwloc {}", diagnosis.allowed_cores,
                  rights.cgroup_quota_cores
                      ? "cgroup quota " + format_number(*rights.cgroup_quota_cores, Zeros::dropped)
                      : "no cgroup quota",
                  diagnosis.hwloc_version));
  text += labelled("Counters", counters_text(rights));
  text += labelled("Copies", copy_text(rights));
  text += labelled("/dev/shm", fmt::format("{}, {} free", format_bytes(rights.shm_bytes),
                                           format_bytes(rights.shm_free_bytes)));
  if (!diagnosis.hazards.empty()) text += "\nKnown hazards of the installed MPIs\n";
  for (const Diagnosis::KnownHazard& known : diagnosis.hazards) {
    text += fmt::format("- {} ({})\n", known.hazard.id, known.found);
    text += labelled("  what", known.hazard.what);
    text += labelled("  remedy", known.hazard.remedy);
  }
  if (!diagnosis.quarantine.empty()) {
    text += "\nSettings in quarantine (plait doctor --forget ID removes one)\n";
  }
  for (const run::Quarantined& entry : diagnosis.quarantine) {
    text += labelled("- " + entry.id,
                     fmt::format("{}; started on {}", run::quarantine_sentence(entry), entry.host));
  }
  text += fmt::format("\nNext: {}\n", diagnosis.stored_machine.empty()
                                          ? "plait measure --quick"
                                          : "plait run -- mpiexec -n 2 ./app");
  return text;
}

}  // namespace plait::doctor
