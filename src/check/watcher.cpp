// SPDX-License-Identifier: BSD-3-Clause
// Watches a running job and detects when it can never end.
#include "check/watcher.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string>

#include "plait/error.hpp"

namespace plait::check {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLongestPause{30};
/// Stall times to wait for a thread that has not called MPI yet (MPI_THREAD_MULTIPLE).
constexpr int kPatienceForThreads = 10;

std::string this_host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// True if this process runs on the same kernel. Hosts may have equal names.
bool is_on_this_host(const Process& process) {
  static const std::uint64_t boot = [] {
    std::ifstream in("/proc/sys/kernel/random/boot_id");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return text.empty() ? 0 : plait_hash_text(text.c_str());
  }();
  return process.host == this_host() && (process.boot == boot || process.boot == 0);
}

/// True if a pid means the same process there and here: containers have pids of their own.
bool shares_pids(const Process& process) {
  struct stat space {};
  return process.pid_namespace == 0 || ::stat("/proc/self/ns/pid", &space) != 0 ||
         process.pid_namespace == space.st_ino;
}

/// True if the thread is running or waiting for a CPU (proc(5), stat).
bool is_runnable(const fs::path& task) {
  std::ifstream in(task / "stat");
  std::string line;
  std::getline(in, line);
  const std::size_t close = line.rfind(')');
  return close != std::string::npos && close + 2 < line.size() && line[close + 2] == 'R';
}

}  // namespace

void Watcher::open_new_files(const fs::path& records) {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(records, problem)) {
    if (entry.path().extension() != ".chk" || files_.contains(entry.path())) continue;
    try {
      files_[entry.path()] = std::make_unique<CheckFile>(entry.path());
    } catch (const Error&) {
      continue;  // not complete yet; read it next time
    }
  }
}

Watcher::Clock::duration Watcher::longest_stall() {
  const auto now = Clock::now();
  Clock::duration longest{};
  for (const auto& [path, file] : files_) {
    const auto threads = file->section<plait_check_thread>(PLAIT_CHECK_THREADS);
    for (std::uint32_t i = 0; i < threads.size(); ++i) {
      const std::uint64_t sequence = __atomic_load_n(&threads[i].sequence, __ATOMIC_ACQUIRE);
      Seen& seen = seen_[{path, i}];
      if (seen.since == Clock::time_point{} || seen.sequence != sequence) seen = {sequence, now};
      if (sequence % 2 == 1) longest = std::max(longest, now - seen.since);
    }
  }
  return longest;
}

/// True if another thread of the process, perhaps one that has not called MPI yet, may serve the
/// operations that others wait for.
bool Watcher::may_be_served(const Process& process) const {
  if (process.thread_provided < 3) return false;
  const auto now = Clock::now();
  for (const auto& [key, seen] : seen_) {
    if (key.first == process.file && now - seen.since < kPatienceForThreads * stall_) return true;
  }
  if (!shares_pids(process)) return true;  // its threads cannot be seen
  std::error_code problem;
  const fs::path tasks = "/proc/" + std::to_string(process.pid) + "/task";
  for (const auto& entry : fs::directory_iterator(tasks, problem)) {
    const bool known = std::any_of(
        process.threads.begin(), process.threads.end(), [&](const plait_check_thread& thread) {
          return thread.alive != 0 && std::to_string(thread.tid) == entry.path().filename();
        });
    if (!known && is_runnable(entry.path())) return true;
  }
  return false;
}

/// The calls in a form that outlives the job they were read from; empty if one of their processes
/// cannot be judged.
std::vector<Watcher::Open> Watcher::judged_open(const Job& job,
                                                const std::vector<OpenCall>& calls) const {
  std::vector<Open> open;
  for (const OpenCall& call : calls) {
    const Process& process = job.processes[call.process];
    if (!is_on_this_host(process) || may_be_served(process)) return {};
    open.push_back({process.file, call.thread, call.sequence});
  }
  std::sort(open.begin(), open.end());
  return open;
}

bool Watcher::confirm(std::vector<Open> open) {
  const bool again = !suspected_.empty() &&
                     std::includes(open.begin(), open.end(), suspected_.begin(), suspected_.end());
  suspected_ = std::move(open);
  return again;
}

bool Watcher::look(const fs::path& records) {
  open_new_files(records);
  const auto now = Clock::now();
  if (longest_stall() < stall_) {
    suspected_.clear();
    pause_ = std::chrono::duration_cast<Clock::duration>(stall_);
    next_ = {};
    return false;
  }
  if (now < next_) return false;
  const Job job = read_job(records);
  auto deadlock = find_deadlock(job);
  const bool stuck = confirm(judged_open(job, deadlock ? deadlock->calls : differing_calls(job)));
  if (stuck && deadlock) {
    deadlock_ = std::move(deadlock->finding);
    return true;
  }
  if (stuck) return true;
  // Look less and less often at a job that only waits long; confirm a suspicion soon.
  const auto stall = std::chrono::duration_cast<Clock::duration>(stall_);
  if (suspected_.empty())
    pause_ = std::min<Clock::duration>(2 * pause_, std::max<Clock::duration>(kLongestPause, stall));
  next_ = Clock::now() + (suspected_.empty() ? pause_ : stall / 2);
  return false;
}

}  // namespace plait::check
