// SPDX-License-Identifier: BSD-3-Clause
// What Plait sees of this system, and what is in its way.
#include "launch/doctor.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/layout.hpp"
#include "base/user_data.hpp"
#include "launch/environment.hpp"
#include "machine/discover.hpp"

namespace plait::launch {
namespace {

namespace fs = std::filesystem;

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

/// Several MPIs may share a hazard: it is told once.
std::vector<Diagnosis::KnownHazard> known_hazards(const std::vector<InstalledMpi>& mpis) {
  std::vector<Diagnosis::KnownHazard> found;
  const std::vector<Hazard> all = load_hazards(install_layout().share / "hazards.json");
  for (const InstalledMpi& mpi : mpis) {
    for (const Hazard& hazard : hazards_of(all, mpi.launcher)) {
      const std::string title = mpi_title(mpi.launcher);
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

}  // namespace

std::string mpi_title(const Launcher& launcher) {
  std::string name;
  switch (launcher.kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      name = "Open MPI";
      break;
    case LauncherKind::mpich:
      name = "MPICH";
      break;
    case LauncherKind::intel:
      name = "Intel MPI";
      break;
    case LauncherKind::slurm:
      name = "Slurm";
      break;
    case LauncherKind::none:
      break;
  }
  return launcher.version.empty() ? name : name + " " + launcher.version;
}

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
  diagnosis.slurm = find_slurm();
  diagnosis.omp_runtimes = find_omp_runtimes();
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
  diagnosis.quarantine = quarantined();
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
                      {"slurm", slurm_to_json(diagnosis.slurm)},
                      {"omp_runtimes", nlohmann::json::array()},
                      {"hazards", nlohmann::json::array()},
                      {"quarantine", nlohmann::json::array()}};
  json["stored_machine"] = diagnosis.stored_machine.empty()
                               ? nlohmann::json(nullptr)
                               : nlohmann::json(diagnosis.stored_machine.string());
  for (const InstalledMpi& mpi : diagnosis.mpis) {
    json["mpis"].push_back({{"kind", kind_name(mpi.launcher.kind)},
                            {"version", mpi.launcher.version},
                            {"launcher", mpi.launcher.path},
                            {"first_in_path", mpi.first_in_path},
                            {"libraries", mpi.libraries}});
  }
  for (const OmpRuntime& runtime : diagnosis.omp_runtimes) {
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
  for (const Quarantined& entry : diagnosis.quarantine) {
    json["quarantine"].push_back({{"id", entry.id},
                                  {"mpi", entry.mpi},
                                  {"version", entry.version},
                                  {"host", entry.host},
                                  {"settings", entry.settings},
                                  {"ending", ending_name(entry.what.ending)},
                                  {"words", entry.what.words},
                                  {"when", entry.when},
                                  {"command", entry.command}});
  }
  return json;
}

}  // namespace plait::launch
