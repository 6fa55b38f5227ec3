// SPDX-License-Identifier: BSD-3-Clause
// plait-probe: measures messages between the ranks of an MPI job. Usage: plait-probe PLAN OUTPUT|-
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "measure/affinity.hpp"
#include "measure/clock.hpp"
#include "measure/probe_plan.hpp"
#include "places.hpp"
#include "plait/error.hpp"
#include "probe_rank.hpp"
#include "variables.hpp"

namespace {

using plait::measure::MpiLibrary;
using plait::measure::ProbePlan;
using plait::measure::RankFile;
using namespace plait::mpi;  // NOLINT(google-build-using-namespace): MPI's own names

std::string library_version(const MpiLibrary& mpi) {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  mpi.get_library_version(text.data(), &length);
  const std::string all(text.data());
  return all.substr(0, all.find('\n'));
}

/// A plan may take this multiple of its seconds on a busy machine.
constexpr double kPatience = 2;
/// Additional seconds that a plan may take, for short plans and interruptions by other jobs.
constexpr double kPause = 15;

double seconds_of(const ProbePlan& plan) {
  double seconds = 0;
  for (const plait::measure::ProbeStep& step : plan.steps) seconds += step.seconds;
  return seconds;
}

/// Makes sure that no rank outlives a launcher that is killed: launchers start ranks in other
/// process groups.
void end_with_launcher(const ProbePlan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const double seconds = plan.limit_s > 0 ? plan.limit_s : 120 + 2 * seconds_of(plan);
  ::alarm(static_cast<unsigned>(seconds));
}

/// Initializes MPI, with support for calls from a second thread if the plan needs that.
/// @return seconds that it took
double initialize(const MpiLibrary& mpi, const ProbePlan& plan) {
  const double begin_s = plait::measure::now_s();
  int provided = MPI_THREAD_SERIALIZED;
  if (plan.poll) {
    mpi.init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  } else {
    mpi.init(nullptr, nullptr);
  }
  const double seconds = plait::measure::now_s() - begin_s;
  if (provided < MPI_THREAD_SERIALIZED) {
    throw plait::Failure("MPI library", "does not support MPI calls from a second thread", "");
  }
  return seconds;
}

/// Binds this rank and runs the steps.
void go_through(const MpiLibrary& mpi, const ProbePlan& plan, int rank, MPI_Comm world,
                RankFile& file) {
  std::vector<int> allowed = plait::measure::allowed_pus();
  const int pu = plan.pus[static_cast<std::size_t>(rank)];
  if (pu < 0) {
    file.line(plait::measure::place_line());
  } else if (!plait::measure::bind_this_thread(pu)) {
    file.line(fmt::format("error rank {} cannot be bound to hardware thread {}", rank, pu));
  }
  if (plan.steps.empty()) return;
  plait::measure::ProbeRank probe(mpi, plan, rank, world, std::move(allowed), file);
  const plait::measure::Deadline deadline(kPatience * seconds_of(plan) + kPause);
  for (std::size_t step = 0; step < plan.steps.size(); ++step) {
    // All ranks skip the steps for which the first has no time.
    int on_time = deadline.passed() ? 0 : 1;
    mpi.bcast(&on_time, sizeof(on_time), mpi.byte, 0, world);
    if (on_time == 0) {
      file.line(
          fmt::format("error out of time after {} of {} steps: messages take far longer than "
                      "expected",
                      step, plan.steps.size()));
      return;
    }
    probe.run_step(step);
  }
}

/// Into which file a rank writes its results. "-": the first one into its standard output, the
/// others nowhere.
std::string file_of(const std::string& output, int rank) {
  if (output != "-") return output + "." + std::to_string(rank);
  return rank == 0 ? "-" : "/dev/null";
}

int measure(const ProbePlan& plan, const std::string& output) {
  end_with_launcher(plan);
  const MpiLibrary mpi = MpiLibrary::open(plan.libraries);
  const double init_s = initialize(mpi, plan);
  int rank = 0;
  int size = 0;
  mpi.comm_rank(mpi.world, &rank);
  mpi.comm_size(mpi.world, &size);
  RankFile file(file_of(output, rank));
  file.line("library " + library_version(mpi));
  file.line(fmt::format("init {:.9f}", init_s));
  if (size != static_cast<int>(plan.pus.size())) {
    file.line(
        fmt::format("error {} ranks were started, but MPI_COMM_WORLD has {}: the MPI library does "
                    "not match the launcher",
                    plan.pus.size(), size));
    mpi.finalize();
    return 1;
  }
  const plait::measure::PlannedRank planned = plait::measure::planned_rank(mpi, plan, rank, size);
  if (!planned.problem.empty()) {
    file.line("error " + planned.problem);
    mpi.finalize();
    return 1;
  }
  if (planned.rank == 0) {
    for (const std::string& line : plait::measure::variable_lines(mpi, plan.variables)) {
      file.line(line);
    }
  }
  go_through(mpi, plan, planned.rank, planned.world, file);
  file.line("end");
  // A launcher may exit after all ranks have called MPI_Finalize, while they still run.
  ::prctl(PR_SET_PDEATHSIG, 0);
  mpi.finalize();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "plait-probe: usage: plait-probe PLAN OUTPUT (started by plait)\n");
    return 2;
  }
  int exit_code = 1;
  try {
    exit_code = measure(plait::measure::parse_plan(plait::read_text_file(argv[1])), argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait-probe: {}\n", error.what());
  }
  std::fflush(nullptr);
  // Skip the destructors of the MPI library: some crash at exit.
  ::_exit(exit_code);
}
