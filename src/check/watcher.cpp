// SPDX-License-Identifier: BSD-3-Clause
// Watches a running job and detects when it can never end.
#include "check/watcher.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>

#include "plait/error.hpp"

namespace plait::check {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLongestPause{30};
/// Stall times to wait for a thread that has not called MPI yet (MPI_THREAD_MULTIPLE).
constexpr int kPatienceForThreads = 10;
/// Stall times for which a thread may do nothing but poll. It may do so until a time of its own.
constexpr int kPatienceForPolls = 10;
/// A thread that does nothing but poll makes at least this many calls per second of CPU time, and
/// less than this share of them follows the one before slowly.
constexpr double kPollsPerSecond = 10'000;
constexpr double kSlowPolls = 0.1;
constexpr double kJudgedCpu_s = 0.05;  // several ticks of the kernel's clock
/// CPU time for which it must have polled. Where each poll yields the CPU to many other programs, a
/// thread polls for long, but seldom, and perhaps does something else after some hundred polls.
constexpr double kPolledCpu_s = 0.1;

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

/// CPU time of a thread (proc(5), stat: utime and stime); 0 if it cannot be read.
double cpu_seconds(const fs::path& task) {
  std::ifstream in(task / "stat");
  std::string line;
  std::getline(in, line);
  const std::size_t close = line.rfind(')');
  if (close == std::string::npos) return 0;
  std::istringstream fields(line.substr(close + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// True if a thread of the process that does not call MPI now is running or waiting for a CPU; also
/// if its threads cannot be seen.
bool other_thread_runs(const fs::path& tasks, std::span<const plait_check_thread> threads) {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(tasks, problem)) {
    const bool known = std::ranges::any_of(threads, [&](const plait_check_thread& thread) {
      return thread.alive != 0 && std::to_string(thread.tid) == entry.path().filename();
    });
    if (!known && is_runnable(entry.path())) return true;
  }
  return problem.operator bool();
}

fs::path tasks_of(int pid) {
  return "/proc/" + std::to_string(pid) + "/task";
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

Watcher::Clock::duration Watcher::stall_of(const fs::path& path, const CheckFile& file,
                                           std::uint32_t thread) {
  const auto now = Clock::now();
  const auto threads = file.section<plait_check_thread>(PLAIT_CHECK_THREADS);
  const plait_check_thread& at = threads[thread];
  const std::uint64_t progress = __atomic_load_n(&at.progress, __ATOMIC_ACQUIRE);
  const std::uint64_t polls = __atomic_load_n(&at.polls.calls, __ATOMIC_ACQUIRE);
  Seen& seen = seen_[{path, thread}];
  if (seen.since == Clock::time_point{} || seen.progress != progress) {
    seen = {};
    seen.progress = progress;
    seen.since = now;
  }
  if (polls == 0) return at.sequence % 2 == 1 ? now - seen.since : Clock::duration{};
  if (does_more_than_poll(file, at, seen) ||
      other_thread_runs(tasks_of(file.header().pid), threads)) {
    seen.polls_since = now;
    seen.first_polls = seen.last_polls;
    seen.first_cpu_s = seen.last_cpu_s;
  }
  const auto stall = now - seen.polls_since;
  seen.polls_steadily =
      stall >= kPatienceForPolls * stall_ && seen.last_cpu_s >= seen.first_cpu_s + kPolledCpu_s;
  return seen.polls_steadily ? stall : Clock::duration{};
}

/// Judges how often the thread polled since it did nothing else, and lately. A thread that waits
/// for a CPU does nothing else.
bool Watcher::does_more_than_poll(const CheckFile& file, const plait_check_thread& at,
                                  Seen& seen) const {
  const auto polls = at.polls.calls;
  const double cpu_s = cpu_seconds(tasks_of(file.header().pid) / std::to_string(at.tid));
  const auto too_few = [&](std::uint64_t before, double before_s) {
    return static_cast<double>(polls - before) < kPollsPerSecond * (cpu_s - before_s);
  };
  const bool began = seen.polls_since == Clock::time_point{};
  const bool computes = polls == seen.last_polls && cpu_s > seen.last_cpu_s;
  const bool slow = static_cast<double>(at.polls.slow) > kSlowPolls * static_cast<double>(polls);
  const bool lately = cpu_s - seen.late_cpu_s >= kJudgedCpu_s;
  const bool more = began || computes || slow ||
                    (lately && (too_few(seen.late_polls, seen.late_cpu_s) ||
                                too_few(seen.first_polls, seen.first_cpu_s)));
  seen.last_polls = polls;
  seen.last_cpu_s = cpu_s;
  if (more || lately) {
    seen.late_polls = polls;
    seen.late_cpu_s = cpu_s;
  }
  return more;
}

Watcher::Clock::duration Watcher::longest_stall() {
  Clock::duration longest{};
  for (const auto& [path, file] : files_) {
    const auto threads = file->section<plait_check_thread>(PLAIT_CHECK_THREADS);
    for (std::uint32_t i = 0; i < threads.size(); ++i) {
      longest = std::max(longest, stall_of(path, *file, i));
    }
  }
  return longest;
}

void Watcher::mark_polling(Job& job) const {
  for (Process& process : job.processes) {
    process.polling.resize(process.threads.size(), false);
    for (std::uint32_t i = 0; i < process.threads.size(); ++i) {
      const auto seen = seen_.find({process.file, i});
      process.polling[i] = seen != seen_.end() && seen->second.polls_steadily &&
                           seen->second.progress == process.threads[i].progress &&
                           shares_pids(process);
    }
  }
}

/// True if another thread of the process, perhaps one that has not called MPI yet, may serve the
/// operations that others wait for, or end a loop that polls.
bool Watcher::may_be_served(const Process& process, bool polls) const {
  if (process.thread_provided < 3) {
    return polls && other_thread_runs(tasks_of(process.pid), process.threads);
  }
  const auto now = Clock::now();
  for (const auto& [key, seen] : seen_) {
    if (key.first == process.file && now - seen.since < kPatienceForThreads * stall_) return true;
  }
  if (!shares_pids(process)) return true;  // its threads cannot be seen
  return other_thread_runs(tasks_of(process.pid), process.threads);
}

/// The calls in a form that outlives the job they were read from; empty if one of their processes
/// cannot be judged.
std::vector<Watcher::Open> Watcher::judged_open(const Job& job,
                                                const std::vector<OpenCall>& calls) const {
  std::vector<Open> open;
  for (const OpenCall& call : calls) {
    const Process& process = job.processes[call.process];
    if (!is_on_this_host(process) || may_be_served(process, call.polls)) return {};
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
  Job job = read_job(records);
  mark_polling(job);
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
