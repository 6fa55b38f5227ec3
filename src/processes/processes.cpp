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
#include <new>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/layout.hpp"
#include "base/process_tree.hpp"
#include "launcher/inside_launcher.hpp"
#include "processes/mpi_job.hpp"
#include "run/mpi_libraries.hpp"
#include "run/preload_choice.hpp"

namespace plait {
namespace {

namespace fs = std::filesystem;

/// What a launcher of MPI says to the processes that it starts.
struct Launched {
  int rank = 0, size = 1;
  std::vector<run::MpiAbi> abis;  ///< of its library, the most likely one first
};

Launched launched() {
  using run::MpiAbi;
  const std::optional<launcher::JobRank> job = launcher::inside_launcher();
  if (!job) return {};
  const MpiAbi own = run::abi_of_launcher(job->launcher.kind);
  if (own != MpiAbi::unknown) return {job->rank, job->size, {own}};
  const bool pmix = !environment_value("PMIX_RANK").empty();
  return {job->rank,
          job->size,
          {pmix ? MpiAbi::openmpi : MpiAbi::mpich, pmix ? MpiAbi::mpich : MpiAbi::openmpi}};
}

/// True for programs that start the processes of a job, or are started for them on each node.
bool is_launcher(const fs::path& program) {
  constexpr std::array<std::string_view, 12> kNames{
      "mpiexec",       "mpirun", "orterun", "orted",           "prterun",   "prted",
      "mpiexec.hydra", "prte",   "hydra",   "hydra_pmi_proxy", "pmi_proxy", "hydra_bstrap_proxy"};
  return std::ranges::count(kNames, program.filename().string()) > 0;
}

/// Paths and names of the MPI library: where LD_LIBRARY_PATH has it, next to the launcher, of which
/// this process is a descendant, or where the dynamic linker finds it.
std::vector<std::string> candidates(run::MpiAbi abi) {
  constexpr int kFewGenerations = 8;
  std::vector<std::string> files, names;
  for (const std::string& one : run::library_candidates("/", abi)) {
    if (!one.starts_with('/')) names.push_back(one);
  }
  pid_t process = ::getppid();
  for (int i = 0; i < kFewGenerations && process > 1; ++i) {
    std::error_code error;
    const fs::path program = fs::read_symlink(fmt::format("/proc/{}/exe", process), error);
    if (!error && is_launcher(program)) {
      for (const std::string& one : run::library_candidates(program, abi)) {
        if (one.starts_with('/')) files.push_back(one);
      }
    }
    const std::optional<ProcessStat> stat = process_stat(process);
    process = stat ? stat->parent : 0;
  }
  const bool names_first = !environment_value("LD_LIBRARY_PATH").empty();
  files.insert(names_first ? files.begin() : files.end(), names.begin(), names.end());
  return files;
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
  [[nodiscard]] int on_node() const override { return job_.leaders_of_node; }

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

  std::vector<std::string> swap(std::vector<std::string> to) override {
    const auto longest = std::ranges::max_element(to, {}, &std::string::size);
    const std::vector<std::int64_t> all = gather(static_cast<std::int64_t>(longest->size()));
    const auto most = static_cast<std::size_t>(std::ranges::max(all));
    std::vector<std::int64_t> lengths, from_lengths(to.size());
    for (const std::string& text : to) lengths.push_back(static_cast<std::int64_t>(text.size()));
    if (!job_.swap_numbers(lengths.data(), from_lengths.data())) mpi_failed("MPI_Alltoall");
    std::vector<std::string> from(to.size());
    const std::size_t piece = job_.largest / to.size();
    for (std::size_t at = 0; at < most; at += piece) {
      SwappedPiece sent(lengths, at, piece), received(from_lengths, at, piece);
      for (std::size_t i = 0; i < to.size(); ++i) {
        to[i].copy(sent.text.data() + sent.begins[i], static_cast<std::size_t>(sent.bytes[i]),
                   std::min(at, to[i].size()));
      }
      if (!job_.swap(sent.text.data(), sent.bytes.data(), sent.begins.data(), received.text.data(),
                     received.bytes.data(), received.begins.data())) {
        mpi_failed("MPI_Alltoallv");
      }
      for (std::size_t i = 0; i < from.size(); ++i) {
        from[i].append(received.text, static_cast<std::size_t>(received.begins[i]),
                       static_cast<std::size_t>(received.bytes[i]));
      }
    }
    return from;
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
  /// A piece of the texts for each process, or from each.
  struct SwappedPiece {
    SwappedPiece(const std::vector<std::int64_t>& lengths, std::size_t at, std::size_t most) {
      std::size_t end = 0;
      for (const std::int64_t length : lengths) {
        const std::size_t left = static_cast<std::size_t>(length) -
                                 std::min<std::size_t>(at, static_cast<std::size_t>(length));
        begins.push_back(static_cast<int>(end));
        bytes.push_back(static_cast<int>(std::min(left, most)));
        end += std::min(left, most);
      }
      text.resize(end);
    }
    std::vector<int> bytes, begins;
    std::string text;
  };

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
      throw Failure("the processes", "work on different things",
                    "install the same version of plait on all nodes");
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
  } catch (const std::bad_alloc&) {
    thrown = std::current_exception();
    processes.fail("there is not enough memory for this input");
    return kFailureExit;
  } catch (const std::exception& error) {
    thrown = std::current_exception();
    processes.fail(error.what());
    return kFailureExit;
  }
}

}  // namespace

int run_on_processes(const std::function<int(Processes&)>& work) {
  const Launched how = launched();
  const std::string leaders = environment_value("PLAIT_LEADERS");
  if (how.size < 2 || leaders == "none") {
    Processes alone;
    return work(alone);
  }
  ::setenv("NO_COLOR", "1", 0);  // Open MPI gives its processes a terminal
  const JobLibrary library = open_library(how);
  plait_mpi_job& job = *library.job;
  if (!job.start(library.mpi, leaders == "all", &job)) mpi_failed("MPI_Init");
  if (job.processes != how.size) {
    throw Failure("MPI library of the launcher",
                  fmt::format("starts jobs of {} instead of {}", job.processes, how.size),
                  "set LD_LIBRARY_PATH to that of the launcher, or start plait without it");
  }
  share_cpus(job);
  std::exception_ptr thrown;
  const int code = job.rank < 0 ? 0 : lead(work, job, thrown);
  if (!job.end()) mpi_failed("MPI_Finalize");
  // A launcher ends the job when one of its processes fails: process 0 has to report why first.
  if (job.rank != 0) return 0;
  if (thrown) std::rethrow_exception(thrown);
  return code;
}

int run_on_first_process(const std::function<int()>& work) {
  return launched().rank == 0 || environment_value("PLAIT_LEADERS") == "none" ? work() : 0;
}

}  // namespace plait
