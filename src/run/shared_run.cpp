// SPDX-License-Identifier: BSD-3-Clause
// Shares one run directory among the ranks of a job, each started as `plait run app`.
#include "run/shared_run.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>

#include "base/failure.hpp"
#include "base/json.hpp"
#include "base/json_file.hpp"
#include "base/short_hash.hpp"
#include "plait/error.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kJoinLimit{30};

fs::path folder_of(const RunRequest& request, const RunSetup& setup, const launcher::JobRank& job) {
  if (!request.output.empty()) return fs::absolute(request.output).lexically_normal();
  if (job.key.empty()) {
    throw Error("plait run", "the launcher does not tell a rank which job it belongs to",
                "pass the same --output FOLDER to all ranks, or use plait run -- mpiexec ...");
  }
  const std::string name = run_name(setup.preload.program.string()) + "-job-" + short_hash(job.key);
  return fs::absolute(fs::path("plait-runs") / name);
}

std::string job_key(const launcher::JobRank& job) {
  return fmt::format("{}\n{}\n", job.key, job.size);
}

nlohmann::json to_json(const RankEnd& end) {
  return {{"rank", end.rank},
          {"host", end.host},
          {"exit_code", end.exit_code},
          {"signal", end.signal},
          {"timed_out", end.timed_out},
          {"interrupted_by", end.interrupted_by},
          {"start_unix_s", end.start_unix_s},
          {"end_unix_s", end.end_unix_s},
          {"problems", end.problems}};
}

std::vector<RankEnd> parse_ends(const std::string& text) {
  std::vector<RankEnd> ends;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    try {
      const nlohmann::json json = parse_json(line);
      ends.push_back({json.value("rank", 0), json.value("host", ""), json.value("exit_code", 0),
                      json.value("signal", 0), json.value("timed_out", false),
                      json.value("interrupted_by", 0), json.value("start_unix_s", 0.0),
                      json.value("end_unix_s", 0.0),
                      json.value("problems", std::vector<std::string>())});
    } catch (const nlohmann::json::exception&) {
      continue;  // a line that was cut off
    }
  }
  return ends;
}

std::string iso_time(double unix_s) {
  const auto whole = static_cast<std::time_t>(unix_s);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(whole),
                     static_cast<int>((unix_s - static_cast<double>(whole)) * 1000));
}

/// Appends a line to a file and reads the whole file, under a lock that excludes the other ranks.
std::string append_alone(const fs::path& path, const std::string& line) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0 || ::flock(fd, LOCK_EX) != 0) {
    const int why = errno;
    if (fd >= 0) ::close(fd);
    throw Failure(path.string(), fmt::format("cannot be written ({})", std::strerror(why)), "");
  }
  std::string text;
  const bool written = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  std::array<char, 4096> buffer;
  ::lseek(fd, 0, SEEK_SET);
  for (ssize_t n = ::read(fd, buffer.data(), buffer.size()); n > 0;
       n = ::read(fd, buffer.data(), buffer.size())) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(fd);  // gives up the lock
  if (!written) throw Failure(path.string(), "cannot be written (disk full)", "free space");
  return text;
}

}  // namespace

SharedRun::SharedRun(const RunRequest& request, const RunSetup& setup, const launcher::JobRank& job)
    : job_(job), directory_(folder_of(request, setup, job)), run_(run_file(request, setup)) {
  run_.inside_launcher = true;
  run_.launcher = job.launcher;
  run_.started_as = started_as(request.typed, request.command, job);
  if (job.size > 0) run_.ranks = job.size;
  std::error_code problem;
  fs::create_directories(directory_.path().parent_path(), problem);
  first_ = fs::create_directory(directory_.path(), problem);
  if (problem) {
    throw Failure(directory_.path().string(),
                  fmt::format("cannot be created ({})", problem.message()),
                  "choose another folder with --output");
  }
  if (first_) {
    make(setup);
  } else {
    join();
  }
}

void SharedRun::make(const RunSetup& setup) {
  directory_.prepare();
  machine::save(directory_.machine_file(), setup.machine);
  directory_.write(run_);
  // Written last: it shows the other ranks that the folder is complete.
  write_text_file(directory_.path() / ".job", job_key(job_));
}

void SharedRun::join() const {
  struct stat folder {};
  if (::lstat(directory_.path().c_str(), &folder) != 0 || !S_ISDIR(folder.st_mode) ||
      folder.st_uid != ::geteuid()) {
    throw Error(directory_.path().string(), "not a folder that you own",
                "pass --output with a folder that does not exist");
  }
  const fs::path job = directory_.path() / ".job";
  const auto limit = std::chrono::steady_clock::now() + kJoinLimit;
  while (!fs::exists(job) && std::chrono::steady_clock::now() < limit) {
    if (fs::exists(directory_.run_file()) && !fs::exists(directory_.records())) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (!fs::exists(job) || read_text_file(job) != job_key(job_)) {
    throw Error(directory_.path().string(), "belongs to another run",
                "pass --output with a folder that does not exist");
  }
}

bool SharedRun::leave(const RankEnd& end) const {
  const std::vector<RankEnd> ends =
      parse_ends(append_alone(directory_.path() / ".ranks", to_json(end).dump() + "\n"));
  if (job_.size == 0 || static_cast<int>(ends.size()) != job_.size) return false;
  finish(ends);
  return true;
}

void SharedRun::finish(const std::vector<RankEnd>& ends) const {
  RunFile run = run_;
  double start = ends.front().start_unix_s;
  double end = ends.front().end_unix_s;
  run.exit_code = 0;
  run.state = RunState::finished;
  for (const RankEnd& rank : ends) {
    start = std::min(start, rank.start_unix_s);
    end = std::max(end, rank.end_unix_s);
    if (rank.signal != 0 && !run.signal) run.signal = rank.signal;
    if (rank.exit_code != 0 && run.exit_code == 0) run.exit_code = rank.exit_code;
    if (rank.interrupted_by != 0) run.interrupted_by = rank.interrupted_by;
    if (rank.timed_out) run.state = RunState::time_limit;
    run.warnings.insert(run.warnings.end(), rank.problems.begin(), rank.problems.end());
  }
  if (run.signal && run.state == RunState::finished) run.state = RunState::killed;
  if (run.interrupted_by && run.state != RunState::time_limit) run.state = RunState::interrupted;
  run.start = iso_time(start);
  run.end = iso_time(end);
  run.wall_s = end - start;
  directory_.write(run);
}

}  // namespace plait::run
