// SPDX-License-Identifier: BSD-3-Clause
// What plait run adds to MPI_Init and MPI_Finalize, compared with what the MPI library takes there:
// in one run, because on an oversubscribed machine runs differ by more than that.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "base/parallel.hpp"
#include "base/subprocess.hpp"
#include "benchmark_main.hpp"
#include "measured_run.hpp"
#include "plait/error.hpp"

namespace {

namespace fs = std::filesystem;

const std::vector<MeasuredProgram> kPrograms{
#include "cases.inc"
};

constexpr std::chrono::minutes kLimit{20};

/// In MPI_Init, Open MPI looks for the other ranks every 0.1 ms. With many ranks per core, that
/// alone keeps all cores busy, so let them look less often.
void allow_late_timers(int ranks) {
  constexpr unsigned kManyPerCpu = 16;
  constexpr unsigned long kLateNs = 50'000'000;
  if (static_cast<unsigned>(ranks) > kManyPerCpu * plait::usable_cpus()) {
    ::prctl(PR_SET_TIMERSLACK, kLateNs);
  }
}

/// Wall and CPU time of a call and of the library in it, s.
struct Call {
  double wall = 0, cpu = 0, library_wall = 0, library_cpu = 0;

  void add(std::istream& in) {
    Call one;
    in >> one.wall >> one.cpu >> one.library_wall >> one.library_cpu;
    wall += one.wall;
    cpu += one.cpu;
    library_wall += one.library_wall;
    library_cpu += one.library_cpu;
  }
};

double percent(double of, double library) {
  return 100 * (of - library) / library;
}

void measure(int ranks, const std::vector<std::string>& options, const std::string& suffix) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("plait-ends-{}", ::getpid());
  const MeasuredProgram& program = kPrograms.front();
  std::vector<std::string> command{program.plait, "run", "-q",
                                   "--no-report", "-o",  folder.string()};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"--", program.launcher, "-n", fmt::format("{}", ranks),
                                 "--oversubscribe", "--bind-to", "none", program.program});
  // A rank that waits for a CPU for long must not be taken for one that does not answer.
  const auto result = plait::run_command(command, kLimit, {},
                                         {{"PMIX_MCA_ptl_base_handshake_wait_time", "100"},
                                          {"PMIX_MCA_ptl_base_handshake_max_retries", "20"},
                                          {"PMIX_MCA_ptl_base_max_retries", "20"},
                                          {"OMPI_MCA_mpi_yield_when_idle", "1"},
                                          {"OMPI_MCA_btl", "self,vader"},
                                          {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  const std::string& output = result.out;
  if (result.exit_code != 0) fmt::print("the launcher ended with exit code {}\n", result.exit_code);
  fs::remove_all(folder);
  std::array<Call, 2> calls;
  int found = 0;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string word;
    if (!(in >> word) || word != "ends") continue;
    calls[0].add(in);
    calls[1].add(in);
    if (in) ++found;
  }
  if (found != ranks) {
    throw plait::Error("ends", fmt::format("{} of {} ranks printed times", found, ranks), "");
  }
  fmt::print("{} ranks{}: sums over the ranks, s\n", ranks, suffix);
  fmt::print("{:<14} {:>12} {:>12} {:>8} {:>12} {:>12} {:>8}\n", "", "library wall", "Plait wall",
             "added", "library CPU", "Plait CPU", "added");
  const std::array names{"MPI_Init", "MPI_Finalize"};
  Call both;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Call& call = calls[i];
    fmt::print("{:<14} {:>12.3f} {:>12.3f} {:>6.2f} % {:>12.3f} {:>12.3f} {:>6.2f} %\n", names[i],
               call.library_wall, call.wall - call.library_wall,
               percent(call.wall, call.library_wall), call.library_cpu, call.cpu - call.library_cpu,
               percent(call.cpu, call.library_cpu));
    both.wall += call.wall;
    both.library_wall += call.library_wall;
  }
  fmt::print("RESULT init_finalize_overhead_{}{} {:.3f} %\n", ranks, suffix,
             percent(both.wall, both.library_wall));
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  if (kPrograms.empty()) throw plait::Error("ends", "there is no Open MPI", "install it");
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 512;
  allow_late_timers(ranks);
  measure(ranks, {}, "");
  measure(ranks, {"--trace"}, "_trace");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return plait::bench::benchmark_main([&] { return run(argc, argv); });
}
