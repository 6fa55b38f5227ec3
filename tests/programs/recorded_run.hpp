// SPDX-License-Identifier: BSD-3-Clause
// Runs an MPI program under a preload object, as plait run does, and reads its records.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/subprocess.hpp"
#include "trace/rank_record.hpp"

namespace plait::test {

/// One MPI of this machine, as CMake found it.
struct Mpi {
  std::string kind;      ///< openmpi or mpich
  std::string launcher;  ///< its mpiexec
  std::string preload;   ///< the preload object for it

  [[nodiscard]] std::vector<std::string> command(int ranks) const {
    std::vector<std::string> argv{launcher, "-n", std::to_string(ranks)};
    if (kind == "openmpi") {
      argv.insert(argv.end(), {"--oversubscribe", "--bind-to", "none"});
    }
    return argv;
  }
};

/// Names a parameterized test after its MPI.
inline std::string name_of(const Mpi& mpi) {
  return mpi.kind;
}

inline void PrintTo(const Mpi& mpi, std::ostream* out) {
  *out << mpi.kind;
}

/// What a recorded run left.
struct RecordedRun {
  CommandResult result;
  std::vector<trace::RankRecord> records;
  std::vector<std::string> problems;
};

/// Runs `program` on `ranks` ranks with `environment` (NAME=value) added for them.
/// @param wrapper  put before mpiexec, e.g. taskset
inline RecordedRun run_recorded(const Mpi& mpi, int ranks, const std::vector<std::string>& program,
                                const std::vector<std::string>& environment = {},
                                const std::vector<std::string>& also_preload = {},
                                const std::vector<std::string>& wrapper = {}) {
  const auto folder =
      std::filesystem::path(::testing::TempDir()) / ("plait-run-" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::string preload = mpi.preload;
  for (const std::string& object : also_preload) {
    preload += ":" + object;
  }
  std::vector<std::string> argv = wrapper;
  const auto launch = mpi.command(ranks);
  argv.insert(argv.end(), launch.begin(), launch.end());
  argv.insert(argv.end(), {"env", "LD_PRELOAD=" + preload, "PLAIT_RECORDS=" + folder.string()});
  argv.insert(argv.end(), environment.begin(), environment.end());
  argv.insert(argv.end(), program.begin(), program.end());
  RecordedRun run;
  run.result = run_command(argv, std::chrono::seconds(150), {},
                           {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                            {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                            {"OMPI_MCA_mpi_yield_when_idle", "1"}});
  run.records = trace::read_records(folder, &run.problems);
  std::erase_if(run.records, [](const auto& record) { return record.world_rank < 0; });
  std::filesystem::remove_all(folder);
  return run;
}

/// The run ended well, and every rank left a record.
inline ::testing::AssertionResult complete(const RecordedRun& run, int ranks) {
  if (run.result.exit_code != 0 || !run.problems.empty() ||
      run.records.size() != static_cast<std::size_t>(ranks)) {
    auto failure = ::testing::AssertionFailure();
    failure << "exit code " << run.result.exit_code << ", " << run.records.size() << " records\n"
            << run.result.out << run.result.err;
    for (const std::string& problem : run.problems) {
      failure << problem << "\n";
    }
    return failure;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace plait::test
