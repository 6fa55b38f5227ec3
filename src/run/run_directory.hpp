// SPDX-License-Identifier: BSD-3-Clause
// Makes the run directory and writes run.json, which says what was run and how it ended.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"
#include "launcher/slurm_allocation.hpp"
#include "run/started_as.hpp"

namespace plait::run {

inline constexpr const char* kRunSchema = "plait-run";
inline constexpr int kRunSchemaVersion = 1;

/// The state of a run.
enum class RunState { running, finished, killed, time_limit, interrupted };

/// "running", "finished", "killed", "time_limit", "interrupted".
std::string state_name(RunState state);

/// The content of run.json.
struct RunFile {
  bool keep_environment = false;      ///< secrets in the arguments are kept too
  std::vector<std::string> command;   ///< as the user gave it
  std::vector<std::string> launched;  ///< as it was started
  StartedAs started_as;               ///< as the user started it, for suggestions
  std::string cwd;
  std::map<std::string, std::string> environment;  ///< as written to the file
  std::string host;
  std::optional<launcher::SlurmAllocation> allocation;  ///< the current Slurm job
  launcher::Launcher launcher;
  std::optional<int> ranks;  ///< as requested; empty: the launcher decides
  std::string program;       ///< path of the first program
  std::string abi;           ///< "openmpi", "mpich", "abi"
  std::string preload;       ///< path of the preload object
  std::string preload_reason;
  std::string spool;        ///< the folder of --spool; empty: none
  std::string omp_runtime;  ///< path of the runtime that replaced the program's; empty: none
  bool inside_launcher = false;
  std::string start;  ///< ISO 8601, UTC
  std::string end;
  double wall_s = 0;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<int> interrupted_by;  ///< the signal that plait got
  RunState state = RunState::running;
  std::optional<double> time_limit_s;
  std::vector<std::string> warnings;
};

/// The folder of a run and the names in it.
class RunDirectory {
public:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  /// Makes the folder of a new run and checks that it has space for records.
  /// @param output   its path: a folder that does not exist or is empty; "": plait-runs/NAME-TIME
  /// @param program  gives the default name
  /// @throws Error when it exists and is not empty, or cannot be written to (permissions, disk
  /// full).
  static RunDirectory create(const std::filesystem::path& output, const std::string& program);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path records() const { return path_ / "records"; }
  /// Has a random number, by which ranks see whether this folder is on their node. Only create()
  /// writes it.
  [[nodiscard]] std::filesystem::path id_file() const { return path_ / ".id"; }
  [[nodiscard]] std::filesystem::path machine_file() const { return path_ / "machine.json"; }
  [[nodiscard]] std::filesystem::path run_file() const { return path_ / "run.json"; }

  /// Makes records/ and checks that there is space for a file.
  /// @throws Error if there is none.
  void prepare() const;

  /// Masks secrets in the arguments unless they are to be kept.
  /// @throws Error when it cannot be written.
  void write(const RunFile& run) const;

private:
  std::filesystem::path path_;
};

/// "app" of "/usr/bin/app", with unsuitable characters for a file name replaced.
std::string run_name(const std::string& program);

/// The time now in UTC, ISO 8601 with milliseconds: 2026-11-20T12:00:00.000Z.
std::string iso_now();

}  // namespace plait::run
