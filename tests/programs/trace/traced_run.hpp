// SPDX-License-Identifier: BSD-3-Clause
// Runs an MPI program under a preload object, as plait run --trace does, and reads the trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "recorded_run.hpp"
#include "trace/trace.hpp"

namespace plait::test {

struct TracedRun {
  CommandResult result;
  std::filesystem::path folder;  ///< deleted with this object; the program may use it
  std::uintmax_t event_bytes = 0;
  std::vector<trace::RankRecord> records;
  trace::Trace trace;
  std::string error;  ///< why there is no trace

  explicit TracedRun(const std::string& name)
      : folder(std::filesystem::path(::testing::TempDir()) /
               ("plait-trace-" + name + "-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~TracedRun() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  TracedRun(const TracedRun&) = delete;
  TracedRun& operator=(const TracedRun&) = delete;

  /// @param environment  NAME=value, for the ranks
  void run(const Mpi& mpi, int ranks, const std::vector<std::string>& program,
           const std::vector<std::string>& environment) {
    std::filesystem::remove_all(folder / "records");  // of a previous run
    std::filesystem::create_directories(folder / "records");
    event_bytes = 0;
    std::vector<std::string> argv = mpi.command(ranks);
    argv.insert(argv.end(), {"env", "LD_PRELOAD=" + mpi.preload,
                             "PLAIT_RECORDS=" + (folder / "records").string()});
    argv.insert(argv.end(), environment.begin(), environment.end());
    argv.insert(argv.end(), program.begin(), program.end());
    result = run_command(argv, std::chrono::seconds(150), {},
                         {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                          {"OMPI_MCA_mpi_yield_when_idle", "1"}});
    for (const auto& entry : std::filesystem::directory_iterator(folder / "records"))
      if (entry.path().extension() == ".evt") event_bytes += entry.file_size();
    try {
      std::vector<std::string> problems;
      records = trace::read_records(folder / "records", &problems);
      trace = trace::read_trace(folder);
    } catch (const std::exception& problem) {
      error = problem.what();
    }
  }

  /// Calls of each function on a rank, as the profile counted them.
  [[nodiscard]] std::map<std::string, std::uint64_t> counted(int rank) const {
    std::map<std::string, std::uint64_t> calls;
    for (const auto& record : records)
      for (const auto& call : record.calls)
        if (record.world_rank == rank) calls[call.function] += call.count;
    return calls;
  }

  /// Events of each function on a rank.
  [[nodiscard]] std::map<std::string, std::uint64_t> traced(int rank) const {
    std::map<std::string, std::uint64_t> calls;
    for (const auto& stream : trace.ranks[static_cast<std::size_t>(rank)].streams)
      for (const auto& event : stream.events)
        if (const auto function = trace.shape(event).function; function != trace::kNone)
          ++calls[trace.functions[function]];
    return calls;
  }
};

}  // namespace plait::test
