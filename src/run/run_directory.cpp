// SPDX-License-Identifier: BSD-3-Clause
// Makes the run directory and writes run.json.
#include "run/run_directory.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <random>

#include "base/failure.hpp"
#include "base/json.hpp"
#include "base/json_file.hpp"
#include "base/secrets.hpp"
#include "plait/error.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

/// The free space needed to start a program: the first records of some ranks.
constexpr off_t kRoomBytes = 1 << 20;

/// Makes one folder; false if it exists.
bool make_folder(const fs::path& path) {
  std::error_code problem;
  const bool made = fs::create_directory(path, problem);
  if (problem) {
    throw Failure(path.string(), fmt::format("cannot be created ({})", problem.message()),
                  "choose another folder with --output");
  }
  return made;
}

void make_parents(const fs::path& path) {
  std::error_code problem;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), problem);
  if (problem) {
    throw Failure(path.parent_path().string(),
                  fmt::format("cannot be created ({})", problem.message()),
                  "choose another folder with --output");
  }
}

nlohmann::json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json allocation_json(const std::optional<launcher::SlurmAllocation>& allocation) {
  if (!allocation) return nullptr;
  nlohmann::json nodes = nlohmann::json::array();
  for (const launcher::AllocatedNode& node : allocation->nodes) {
    nodes.push_back({{"name", node.name}, {"cpus", node.cpus}, {"tasks", node.tasks}});
  }
  return {{"system", "slurm"},
          {"job", allocation->job},
          {"text", launcher::allocation_text(*allocation)},
          {"nodes", nodes}};
}

}  // namespace

std::string state_name(RunState state) {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::finished:
      return "finished";
    case RunState::killed:
      return "killed";
    case RunState::time_limit:
      return "time_limit";
    case RunState::interrupted:
      return "interrupted";
  }
  return "";
}

std::string run_name(const std::string& program) {
  std::string name = fs::path(program).filename().string();
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '.' && c != '_' && c != '-') c = '_';
  }
  const bool odd = name.empty() || name[0] == '.' || name[0] == '-';
  return odd ? fmt::format("run{}", name) : name;
}

std::string iso_now() {
  const auto now = std::chrono::system_clock::now();
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms);
}

RunDirectory RunDirectory::create(const fs::path& output, const std::string& program) {
  fs::path path = output;
  if (output.empty()) {
    const std::string base =
        fmt::format("{}-{:%Y%m%d-%H%M%S}", run_name(program), fmt::localtime(std::time(nullptr)));
    path = fs::path("plait-runs") / base;
    make_parents(path);
    for (int n = 2; !make_folder(path); ++n) {
      path = fs::path("plait-runs") / fmt::format("{}-{}", base, n);
    }
  } else {
    make_parents(path);
    std::error_code problem;
    if (!make_folder(path) && !fs::is_empty(path, problem)) {
      throw Error(path.string(), problem ? problem.message() : "not empty",
                  "pass --output with a folder that does not exist");
    }
  }
  RunDirectory directory(fs::absolute(path).lexically_normal());
  directory.prepare();
  std::random_device random;
  write_text_file(directory.id_file(), fmt::format("{:08x}{:08x}", random(), random()));
  return directory;
}

void RunDirectory::prepare() const {
  if (!make_folder(records())) {
    throw Error(records().string(), "already exists",
                "pass --output with a folder that does not exist");
  }
  const fs::path probe = records() / ".room";
  const int fd = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  const int why_no_file = errno;
  const int why = fd < 0 ? why_no_file : ::posix_fallocate(fd, 0, kRoomBytes);
  if (fd >= 0) ::close(fd);
  ::unlink(probe.c_str());
  if (why != 0) {
    throw Failure(path_.string(), fmt::format("cannot be written to ({})", std::strerror(why)),
                  "free space or choose another folder with --output");
  }
}

void RunDirectory::write(const RunFile& run) const {
  const auto arguments = [&](const std::vector<std::string>& all) {
    return run.keep_environment ? all : masked_arguments(all);
  };
  nlohmann::json json{
      {"schema", kRunSchema},
      {"schema_version", kRunSchemaVersion},
      {"plait_version", PLAIT_VERSION},
      {"command", arguments(run.command)},
      {"launched", arguments(run.launched)},
      {"started_as",
       {{"around", arguments(run.started_as.around)},
        {"command", arguments(run.started_as.command)},
        {"outer", arguments(run.started_as.outer)},
        {"plain", arguments(run.started_as.plain)}}},
      {"cwd", run.cwd},
      {"environment", run.environment},
      {"host", run.host},
      {"allocation", allocation_json(run.allocation)},
      {"launcher",
       {{"kind", launcher::kind_name(run.launcher.kind)},
        {"version", run.launcher.version},
        {"path", run.launcher.path}}},
      {"ranks", or_null(run.ranks)},
      {"program", run.program},
      {"mpi", {{"abi", run.abi}}},
      {"preload", {{"abi", run.abi}, {"path", run.preload}, {"reason", run.preload_reason}}},
      {"spool", text_or_null(run.spool)},
      {"omp_runtime", text_or_null(run.omp_runtime)},
      {"inside_launcher", run.inside_launcher},
      {"start", run.start},
      {"end", text_or_null(run.end)},
      {"wall_s", run.wall_s},
      {"exit_code", or_null(run.exit_code)},
      {"signal", or_null(run.signal)},
      {"interrupted_by", or_null(run.interrupted_by)},
      {"state", state_name(run.state)},
      {"time_limit_s", or_null(run.time_limit_s)},
      {"warnings", run.warnings}};
  write_json_file(run_file(), json);
}

}  // namespace plait::run
