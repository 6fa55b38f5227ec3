// SPDX-License-Identifier: BSD-3-Clause
// Watches a running job and detects when it can never end.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "check/check_file.hpp"
#include "check/finding.hpp"
#include "check/waiting.hpp"

namespace plait::check {

/// Reads the check files of all processes when a thread has been inside one MPI call for the stall
/// time, or has only polled for ten times as long. A job is stuck when the same deadlock is found
/// twice and none of its threads began or ended a call in between. Processes on other hosts are not
/// judged, because a shared file system may show old data of them.
class Watcher {
public:
  explicit Watcher(std::chrono::duration<double> stall) : stall_(stall) {}

  /// Call it a few times per second. Returns true if the job can never end.
  bool look(const std::filesystem::path& records);

  /// The deadlock found; empty if there is none, or if judge() finds the cause itself.
  [[nodiscard]] const std::optional<Finding>& deadlock() const { return deadlock_; }

private:
  using Clock = std::chrono::steady_clock;
  /// A thread inside MPI: check file of its process, index, sequence number of its call.
  struct Open {
    std::filesystem::path file;
    std::uint32_t thread = 0;
    std::uint64_t sequence = 0;
    auto operator<=>(const Open&) const = default;
  };
  struct Seen {
    std::uint64_t progress = 0;     ///< plait_check_thread::progress
    Clock::time_point since;        ///< when it changed last
    Clock::time_point polls_since;  ///< since when it has polled and done nothing else
    /// Calls, and CPU time of the thread: at that time, lately, and at the last look.
    std::uint64_t first_polls = 0, late_polls = 0, last_polls = 0;
    double first_cpu_s = 0, late_cpu_s = 0, last_cpu_s = 0;
    bool polls_steadily = false;
  };

  void open_new_files(const std::filesystem::path& records);
  [[nodiscard]] Clock::duration longest_stall();
  [[nodiscard]] Clock::duration stall_of(const std::filesystem::path& path, const CheckFile& file,
                                         std::uint32_t thread);
  [[nodiscard]] bool does_more_than_poll(const CheckFile& file, const plait_check_thread& at,
                                         Seen& seen) const;
  void mark_polling(Job& job) const;
  [[nodiscard]] bool may_be_served(const Process& process, bool polls) const;
  [[nodiscard]] std::vector<Open> judged_open(const Job& job,
                                              const std::vector<OpenCall>& calls) const;
  bool confirm(std::vector<Open> open);

  std::chrono::duration<double> stall_;
  std::map<std::filesystem::path, std::unique_ptr<CheckFile>> files_;
  std::map<std::pair<std::filesystem::path, std::uint32_t>, Seen> seen_;
  std::vector<Open> suspected_;
  Clock::time_point next_;
  Clock::duration pause_{};
  std::optional<Finding> deadlock_;
};

}  // namespace plait::check
