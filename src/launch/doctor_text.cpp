// SPDX-License-Identifier: BSD-3-Clause
// The diagnosis of a system as a verdict and a table for the terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "launch/doctor.hpp"

namespace plait::launch {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kLabel = 12;

/// Text broken at blanks so that it fits beside a label; words wider than the room stay whole.
std::string wrapped(const std::string& label, const std::string& text) {
  std::string result;
  std::string line = fmt::format("{:<{}}", label, kLabel);
  bool empty = true;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!empty && line.size() + 1 + word.size() > kColumns) {
      result += line + "\n";
      line = std::string(kLabel, ' ');
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return result + line + "\n";
}

std::string abi_of(const Launcher& launcher) {
  return launcher.kind == LauncherKind::openmpi4 || launcher.kind == LauncherKind::openmpi5
             ? "openmpi"
             : "mpich";
}

bool has(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::string size_text(std::uint64_t bytes) {
  constexpr double kMiB = 1024.0 * 1024.0;
  const double mib = static_cast<double>(bytes) / kMiB;
  return mib < 1024 ? fmt::format("{:.0f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

std::string mpi_lines(const Diagnosis& diagnosis) {
  std::string text;
  std::string label = "MPI";
  for (const InstalledMpi& mpi : diagnosis.mpis) {
    const bool measurable = mpi.launcher.kind == LauncherKind::slurm ||
                            has(diagnosis.preload_objects, abi_of(mpi.launcher));
    text += fmt::format("{:<{}}{:<22} {}{}{}\n", label, kLabel, mpi_title(mpi.launcher),
                        mpi.launcher.path, mpi.first_in_path ? "  (mpiexec)" : "",
                        measurable ? "" : "  no preload object");
    label.clear();
  }
  return text.empty() ? wrapped("MPI", "none found: install one or load its module") : text;
}

std::string omp_lines(const Diagnosis& diagnosis) {
  std::string text;
  std::string label = "OpenMP";
  for (const OmpRuntime& runtime : diagnosis.omp_runtimes) {
    text += fmt::format("{:<{}}{:<22} {}\n", label, kLabel,
                        runtime.name + (runtime.ompt ? " with OMPT" : ", no OMPT"), runtime.path);
    label.clear();
  }
  return text.empty() ? wrapped("OpenMP", "no runtime found") : text;
}

std::string counters_text(const Rights& rights) {
  std::string text = rights.hardware_counters ? "hardware counters"
                                              : fmt::format("no hardware counters ({})",
                                                            rights.hardware_counters_problem);
  text += rights.software_counters ? ", context switches" : ", no context switches";
  if (rights.perf_event_paranoid) {
    text += fmt::format("; perf_event_paranoid {}", *rights.perf_event_paranoid);
  }
  return text;
}

std::string copy_text(const Rights& rights) {
  std::string text = rights.cma ? "process_vm_readv works (single-copy messages)"
                                : "process_vm_readv is refused: large messages are copied twice";
  if (rights.ptrace_scope) text += fmt::format("; ptrace_scope {}", *rights.ptrace_scope);
  return text;
}

}  // namespace

std::string diagnosis_verdict(const Diagnosis& diagnosis) {
  std::vector<std::string> usable;
  for (const InstalledMpi& mpi : diagnosis.mpis) {
    const std::string title = mpi_title(mpi.launcher);
    if (mpi.launcher.kind != LauncherKind::slurm &&
        has(diagnosis.preload_objects, abi_of(mpi.launcher)) && !has(usable, title)) {
      usable.push_back(title);
    }
  }
  if (diagnosis.preload_objects.empty()) {
    return "Programs cannot be measured: this Plait was built without an MPI.";
  }
  if (usable.empty()) return "No MPI was found that this Plait can measure.";
  std::string text = fmt::format("Programs of {} can be measured", fmt::join(usable, ", "));
  if (diagnosis.rights.cgroup_quota_cores &&
      *diagnosis.rights.cgroup_quota_cores < diagnosis.allowed_cores) {
    text += fmt::format(", but the cgroup grants only {:.2g} of {} cores",
                        *diagnosis.rights.cgroup_quota_cores, diagnosis.allowed_cores);
  } else if (diagnosis.stored_machine.empty()) {
    text += "; this machine has not been measured yet";
  }
  return text + ".";
}

std::string diagnosis_text(const Diagnosis& diagnosis) {
  const Rights& rights = diagnosis.rights;
  std::string text = wrapped("Verdict", diagnosis_verdict(diagnosis)) + "\n";
  text += mpi_lines(diagnosis);
  text += wrapped("Slurm", slurm_text(diagnosis.slurm));
  text += omp_lines(diagnosis);
  text += wrapped("Preload", diagnosis.preload_objects.empty()
                                 ? "none: build Plait with an MPI's headers"
                                 : fmt::format("{}", fmt::join(diagnosis.preload_objects, ", ")));
  text += wrapped("Report", diagnosis.report_page ? "page present"
                                                  : "no page (built with node); terminal and JSON");
  text += wrapped("Machine", diagnosis.stored_machine.empty()
                                 ? "not measured"
                                 : fmt::format("measured: {}", diagnosis.stored_machine.string()));
  text += wrapped("Cores",
                  fmt::format("{} allowed{}; hwloc {}", diagnosis.allowed_cores,
                              rights.cgroup_quota_cores
                                  ? fmt::format(", cgroup quota {:.2f}", *rights.cgroup_quota_cores)
                                  : ", no cgroup quota",
                              diagnosis.hwloc_version));
  text += wrapped("Counters", counters_text(rights));
  text += wrapped("Copies", copy_text(rights));
  text += wrapped("/dev/shm", fmt::format("{}, {} free", size_text(rights.shm_bytes),
                                          size_text(rights.shm_free_bytes)));
  if (!diagnosis.hazards.empty()) text += "\nKnown hazards of what is installed\n";
  for (const Diagnosis::KnownHazard& known : diagnosis.hazards) {
    text += fmt::format("- {} ({})\n", known.hazard.id, known.found);
    text += wrapped("  what", known.hazard.what);
    text += wrapped("  remedy", known.hazard.remedy);
  }
  if (!diagnosis.quarantine.empty()) {
    text += "\nSettings in quarantine (plait doctor --forget ID lets one out)\n";
  }
  for (const Quarantined& entry : diagnosis.quarantine) {
    text += wrapped("- " + entry.id,
                    fmt::format("{}; started on {}", quarantine_sentence(entry), entry.host));
  }
  text += fmt::format("\nNext: {}\n", diagnosis.stored_machine.empty()
                                          ? "plait measure --quick"
                                          : "plait run -- mpiexec -n 2 ./app");
  return text;
}

}  // namespace plait::launch
