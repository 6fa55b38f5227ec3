// SPDX-License-Identifier: BSD-3-Clause
// Prepares a run: the preload object, the machine, the variables.
#include "run/run_setup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "base/layout.hpp"
#include "base/secrets.hpp"
#include "machine/discover.hpp"
#include "machine/open_machine.hpp"
#include "plait/error.hpp"
#include "run/mapper_choice.hpp"
#include "run/message_ways.hpp"
#include "run/mpi_libraries.hpp"
#include "run/runtimes.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

/// The machine of a run. The affinity of a rank does not limit its job.
machine::MachineFile machine_of(const RunRequest& request, bool bound) {
  machine::MachineFile machine = machine::open_machine(request.machine);
  if (bound && request.machine.empty()) {
    machine.topology.allowed_pus =
        machine::discover_local({.own_affinity = false}).topology.allowed_pus;
  }
  return machine;
}

/// The preload objects that a request needs beside that of MPI.
std::vector<fs::path> parts_of(const RunRequest& request, MpiAbi abi) {
  std::vector<fs::path> parts;
  if (request.sample_hz > 0) parts.push_back(install_layout().preload / "libplait-signals.so");
  if (request.memory) parts.push_back(install_layout().preload / "libplait-heap.so");
  if (request.io) parts.push_back(install_layout().preload / "libplait-io.so");
  if (request.sample_hz > 0 || !request.counters.empty()) {
    parts.push_back(install_layout().preload / "libplait-threads.so");
  }
  for (const fs::path& part : parts) {
    if (!fs::exists(part)) throw Failure(part.string(), "not found", "install Plait again");
  }
  const std::vector<fs::path> messages = message_objects({request.wait, request.transport}, abi);
  parts.insert(parts.end(), messages.begin(), messages.end());
  return parts;
}

/// If the variables of the job cannot be read, the program still runs.
std::optional<launcher::SlurmAllocation> allocation_around(std::vector<std::string>& warnings) {
  try {
    return launcher::slurm_allocation();
  } catch (const Error& error) {
    warnings.emplace_back(error.what());
    return std::nullopt;
  }
}

/// @throws Error when none of the wanted counters works here. The nodes of an allocation may differ
/// from this one, so there it is a warning.
void check_counters(const RunRequest& request, RunSetup& setup) {
  const std::vector<std::string> problems = uncountable_events(request.counters);
  const bool elsewhere = setup.command.launcher.kind == launcher::LauncherKind::slurm;
  if (!problems.empty() && problems.size() == request.counters.size() && !elsewhere) {
    throw Error("--counters " + problems.front().substr(0, problems.front().find(": ")),
                problems.front().substr(problems.front().find(": ") + 2),
                "plait run --counters help shows what can be counted here");
  }
  for (const std::string& problem : problems) setup.warnings.push_back("no counter " + problem);
}

}  // namespace

RunSetup set_up(const RunRequest& request, launcher::LaunchCommand command, bool bound) {
  RunSetup setup;
  setup.command = std::move(command);
  setup.preload = choose_preload(setup.command, install_layout().preload, abi_of_name(request.mpi));
  setup.warnings = setup.preload.warnings;
  if (request.map != MapMode::none) {
    setup.mapper = choose_mapper(setup.command, setup.preload.abi);
  }
  setup.parts = parts_of(request, setup.preload.abi);
  if (request.llvm_openmp) {
    setup.omp_runtime = find_llvm_openmp();
    if (setup.omp_runtime.empty()) {
      throw Error("--omp-runtime=llvm", "no libomp.so.5 or libiomp5.so was found",
                  "install it (Debian: libomp5) or add its folder to LD_LIBRARY_PATH");
    }
  }
  check_counters(request, setup);
  check_message_ways({request.wait, request.transport}, environment_value);
  setup.machine = machine_of(request, bound);
  return setup;
}

Assignments run_environment(const RunRequest& request, const RunSetup& setup,
                            const RunDirectory& directory, const fs::path& spool) {
  std::vector<std::string> objects{setup.preload.object.string()};
  // After the profiler: the work of the mapper inside a call of the program counts as that call.
  if (!setup.mapper.empty()) objects.push_back(setup.mapper.string());
  for (const fs::path& part : setup.parts) objects.push_back(part.string());
  if (!setup.omp_runtime.empty()) objects.push_back(setup.omp_runtime);
  Assignments result{{"LD_PRELOAD", extended_preload(environment_value("LD_PRELOAD"), objects)},
                     {"PLAIT_RECORDS", directory.records().string()}};
  if (!spool.empty()) result.emplace_back("PLAIT_RECORD_SPOOL", spool.string());
  // A rank that is started as `plait run app` has a Plait of its own, which moves its records.
  if (fs::exists(directory.id_file())) {
    result.emplace_back("PLAIT_RUN_ID", read_text_file(directory.id_file()));
    if (!request.spool.empty()) {
      result.emplace_back("PLAIT_NODE_SPOOL", fs::absolute(request.spool).lexically_normal());
    }
  }
  const std::vector<std::string> libraries = library_files(
      setup.command.launcher.path, setup.preload.abi, LibrarySearch::from_environment());
  if (!libraries.empty()) {
    result.emplace_back("PLAIT_MPI_LIBRARIES", fmt::format("{}", fmt::join(libraries, ":")));
  }
  if (!setup.mapper.empty()) {
    result.emplace_back("PLAIT_MAP", request.map == MapMode::always ? "always" : "asked");
    // The mapper leaves calls without reorder to the library. Open MPI's treematch hangs in them
    // now and then, and ends jobs in calls that the mapper could not reorder (hazards.json).
    if (setup.preload.abi == MpiAbi::openmpi && environment_value("OMPI_MCA_topo").empty()) {
      result.emplace_back("OMPI_MCA_topo", "^treematch");
    }
  }
  const Assignments messages =
      message_variables({request.wait, request.transport}, setup.preload.abi, environment_value);
  result.insert(result.end(), messages.begin(), messages.end());
  std::string options;
  const auto add_option = [&](bool wanted, const char* name) {
    if (wanted) options.append(options.empty() ? "" : ",").append(name);
  };
  add_option(request.placement_only, "placement");
  add_option(request.trace == TraceMode::full, "trace");
  add_option(request.trace == TraceMode::ring, "trace_ring");
  add_option(request.io, "io");
  add_option(request.check, "check");
  add_option(request.check_buffers, "check_buffers");
  add_option(request.sample_hz > 0, "sample");
  for (const char* clock : {"timer", "wall"}) {
    const bool wanted = request.sample_hz > 0 && request.sample_clock == clock;
    add_option(wanted, fmt::format("sample_{}", clock).c_str());
  }
  if (request.sample_hz > 0) {
    result.emplace_back("PLAIT_SAMPLE_HZ", fmt::format("{}", request.sample_hz));
  }
  if (!options.empty()) result.emplace_back("PLAIT_OPTIONS", options);
  if (!request.functions.empty()) result.emplace_back("PLAIT_FUNCTIONS", request.functions);
  // Where a program has NVTX ranges, NVTX loads the object that this names.
  if (environment_value("NVTX_INJECTION64_PATH").empty()) {
    result.emplace_back("NVTX_INJECTION64_PATH", setup.preload.object.string());
  }
  if (!request.counters.empty()) {
    result.emplace_back("PLAIT_COUNTERS", counters_variable(request.counters));
  }
  if (!request.trace_ranks.empty()) result.emplace_back("PLAIT_TRACE_RANKS", request.trace_ranks);
  if (!request.trace_region.empty()) {
    result.emplace_back("PLAIT_TRACE_REGION", request.trace_region);
  }
  if (!request.trace_iterations.empty()) {
    result.emplace_back("PLAIT_TRACE_ITERATIONS", request.trace_iterations);
  }
  if (request.trace_signal != 0) {
    result.emplace_back("PLAIT_TRACE_SIGNAL", std::to_string(request.trace_signal));
  }
  if (request.trace_limit_bytes > 0) {
    result.emplace_back("PLAIT_TRACE_LIMIT", std::to_string(request.trace_limit_bytes));
  }
  return result;
}

RunFile run_file(const RunRequest& request, const RunSetup& setup) {
  RunFile run;
  run.keep_environment = request.keep_environment;
  run.command = request.command;
  run.launched = request.command;
  run.started_as = started_as(request.typed, request.command, std::nullopt);
  run.cwd = fs::current_path().string();
  run.environment = request.keep_environment ? whole_environment() : masked_environment();
  run.host = host_name();
  run.launcher = setup.command.launcher;
  run.ranks = setup.command.ranks;
  run.program = setup.preload.program.string();
  run.abi = abi_name(setup.preload.abi);
  run.preload = setup.preload.object.string();
  run.preload_reason = setup.preload.reason;
  if (!request.spool.empty()) run.spool = fs::absolute(request.spool).lexically_normal().string();
  run.omp_runtime = setup.omp_runtime;
  run.start = iso_now();
  run.time_limit_s = request.time_limit_s;
  run.warnings = setup.warnings;
  run.allocation = allocation_around(run.warnings);
  return run;
}

}  // namespace plait::run
