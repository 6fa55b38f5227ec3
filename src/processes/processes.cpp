// SPDX-License-Identifier: BSD-3-Clause
// Joins the MPI job that started this process, and shares work with its other processes.
#include "processes/processes.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/layout.hpp"
#include "base/process_tree.hpp"
#include "processes/mpi_job.hpp"
#include "run/mpi_libraries.hpp"
#include "run/preload_choice.hpp"

namespace plait {
namespace {

namespace fs = std::filesystem;

/// What a launcher of MPI says to the processes that it starts.
struct Launched {
  int size = 1;
  std::vector<run::MpiAbi> abis;  ///< of its library, the most likely one first
};

int number(const char* variable) {
  return std::atoi(environment_value(variable).c_str());
}

Launched launched() {
  using run::MpiAbi;
  if (const int size = number("OMPI_COMM_WORLD_SIZE"); size > 0) return {size, {MpiAbi::openmpi}};
  const int size = number("PMI_SIZE");
  // The processes of a batch script have Slurm's variables as well, but not those of a job step.
  const int of_step = environment_value("PMIX_RANK").empty() ? 0 : number("SLURM_STEP_NUM_TASKS");
  return {std::max(size, of_step), {MpiAbi::mpich, MpiAbi::openmpi, MpiAbi::standard}};
}

/// Paths and names of the MPI library: next to the launcher, of which this process is a
/// descendant, or where the dynamic linker finds it.
std::vector<std::string> candidates(run::MpiAbi abi) {
  constexpr int kFewGenerations = 8;
  std::vector<std::string> files, names;
  pid_t process = ::getppid();
  for (int i = 0; i < kFewGenerations && process > 1; ++i) {
    std::error_code error;
    const fs::path program = fs::read_symlink(fmt::format("/proc/{}/exe", process), error);
    for (const std::string& one : run::library_candidates(error ? "/" : program, abi)) {
      (one.starts_with('/') ? files : names).push_back(one);
    }
    const std::optional<ProcessStat> stat = process_stat(process);
    process = stat ? stat->parent : 0;
  }
  // Names first: LD_LIBRARY_PATH is what the user chose.
  names.insert(names.end(), files.begin(), files.end());
  return names;
}

/// The functions of the job, ready to be started.
struct JobLibrary {
  plait_mpi_job* job = nullptr;
  void* mpi = nullptr;
};

JobLibrary open_library(const Launched& launched) {
  std::string why;
  for (const run::MpiAbi abi : launched.abis) {
    void* mpi = nullptr;
    for (const std::string& candidate : candidates(abi)) {
      mpi = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (mpi != nullptr) break;
      why = ::dlerror();
    }
    if (mpi == nullptr) continue;
    const fs::path object =
        install_layout().preload / fmt::format("libplait-processes-{}.so", run::abi_name(abi));
    void* functions = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (functions == nullptr) {
      throw Failure(object.string(), ::dlerror(), "install Plait completely");
    }
    const auto of_object =
        reinterpret_cast<plait_mpi_job* (*)()>(::dlsym(functions, "plait_mpi_job_of_object"));
    return {of_object(), mpi};
  }
  throw Failure("MPI library of the launcher", "cannot be opened (" + why + ")",
                "set LD_LIBRARY_PATH as for your programs, or start plait without the launcher");
}

[[noreturn]] void mpi_failed(const char* what) {
  throw Failure("MPI", fmt::format("{} failed", what), "start plait without the launcher");
}

/// CPUs as sched_getaffinity(2) has them, of up to 8192.
using Cpus = std::array<unsigned long, 128>;

/// Lets the leader run on the CPUs of all processes of its node, which sleep.
void share_cpus(const plait_mpi_job& job) {
  Cpus own{};
  const bool known =
      ::sched_getaffinity(0, sizeof own, reinterpret_cast<cpu_set_t*>(own.data())) == 0;
  std::vector<Cpus> all(static_cast<std::size_t>(job.node_size));
  if (!job.gather_on_node(own.data(), sizeof own, all.data())) mpi_failed("MPI_Allgather");
  if (job.rank < 0 || !known) return;
  Cpus together{};
  for (const Cpus& cpus : all) {
    for (std::size_t i = 0; i < cpus.size(); ++i) together[i] |= cpus[i];
  }
  // Where this is not allowed, the leader has fewer cores.
  std::ignore =
      ::sched_setaffinity(0, sizeof together, reinterpret_cast<const cpu_set_t*>(together.data()));
}

class JobProcesses : public Processes {
public:
  explicit JobProcesses(plait_mpi_job& job) : job_(job) {}

  [[nodiscard]] int rank() const override { return job_.rank; }
  [[nodiscard]] int size() const override { return job_.size; }

  std::vector<std::string> exchange(const std::string& own) override {
    const std::vector<std::int64_t> lengths = gather(static_cast<std::int64_t>(own.size()));
    std::vector<std::string> all(lengths.size());
    for (std::size_t from = 0; from < all.size(); ++from) {
      if (std::cmp_equal(from, rank())) all[from] = own;
      all[from].resize(static_cast<std::size_t>(lengths[from]));
      share(all[from], static_cast<int>(from));
    }
    return all;
  }

  /// Collective: the work is done here.
  /// @throws Error when another process failed
  void done() {
    if (!over_) gather(kDone);
  }

  /// Makes the next call of the others throw this error, unless one of them failed before.
  void fail(const std::string& message) {
    if (over_) return;
    failure_ = host_name() + ": " + message;
    try {
      gather(-1 - static_cast<std::int64_t>(failure_.size()));
    } catch (const Error&) {
      // This process has an error of its own.
    }
  }

private:
  static constexpr std::int64_t kDone = std::numeric_limits<std::int64_t>::max();

  /// Every exchange begins with a number of each process: the length of its text, kDone, or -1 less
  /// the length of an error.
  std::vector<std::int64_t> gather(std::int64_t own) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(size()));
    over_ = true;
    if (!job_.gather(&own, all.data())) mpi_failed("MPI_Allgather");
    const auto failed = std::ranges::find_if(all, [](std::int64_t number) { return number < 0; });
    if (failed != all.end()) {
      std::string message = own < 0 ? failure_ : "";
      message.resize(static_cast<std::size_t>(-1 - *failed));
      share(message, static_cast<int>(failed - all.begin()));
      throw Failure(message, kFailureExit);
    }
    if (std::ranges::count(all, kDone) != (own == kDone ? size() : 0)) {
      throw Failure("plait", "differs between the nodes", "install the same version on all");
    }
    over_ = own == kDone;
    return all;
  }

  void share(std::string& text, int from) {
    for (std::size_t at = 0; at < text.size(); at += job_.largest) {
      const std::size_t bytes = std::min(job_.largest, text.size() - at);
      if (!job_.share(text.data() + at, bytes, from)) mpi_failed("MPI_Bcast");
    }
  }

  plait_mpi_job& job_;
  std::string failure_;
  bool over_ = false;  // no exchange can follow
};

/// The work of a leader.
/// @returns the exit code; `thrown` gets what the work threw
int lead(const std::function<int(Processes&)>& work, plait_mpi_job& job,
         std::exception_ptr& thrown) {
  JobProcesses processes(job);
  try {
    const int code = work(processes);
    processes.done();
    return code;
  } catch (const Error& error) {
    thrown = std::current_exception();
    processes.fail(error.what());
    return exit_code_of(error);
  } catch (const std::exception& error) {
    thrown = std::current_exception();
    processes.fail(error.what());
    return kFailureExit;
  }
}

}  // namespace

int run_on_processes(const std::function<int(Processes&)>& work) {
  const Launched how = launched();
  if (how.size < 2) {
    Processes alone;
    return work(alone);
  }
  ::setenv("NO_COLOR", "1", 0);  // Open MPI gives its processes a terminal
  const JobLibrary library = open_library(how);
  plait_mpi_job& job = *library.job;
  const bool all_lead = environment_value("PLAIT_LEADERS") == "all";
  if (!job.start(library.mpi, all_lead, &job)) mpi_failed("MPI_Init");
  share_cpus(job);
  std::exception_ptr thrown;
  int code = job.rank < 0 ? 0 : lead(work, job, thrown);
  if (!job.end(&code)) mpi_failed("MPI_Finalize");
  if (job.rank == 0 && thrown) std::rethrow_exception(thrown);
  return code;
}

int run_on_first_process(const std::function<int()>& work) {
  return run_on_processes([&](Processes& processes) { return processes.rank() == 0 ? work() : 0; });
}

}  // namespace plait
