// SPDX-License-Identifier: BSD-3-Clause
// Notices a launcher that hangs after the end of its processes.
#include "run/stuck_launcher.hpp"

#include <sys/wait.h>

#include <vector>

#include "base/process_tree.hpp"

namespace plait::run {

std::optional<int> StuckLauncher::look() {
  const auto own = process_stat(launcher_);
  if (!own || own->state != 'S') {
    since_.reset();
    return std::nullopt;
  }
  const std::vector<pid_t> started = children(launcher_);
  int code = 0;  // of a process that ended itself, otherwise of one that was ended
  bool all_ended = !started.empty();
  for (const pid_t pid : started) {
    const auto process = process_stat(pid);
    if (!process || process->state != 'Z') all_ended = false;
    if (!all_ended) break;
    const int status = process->wait_status;
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && (code == 0 || code > 128)) {
      code = WEXITSTATUS(status);
    }
    if (WIFSIGNALED(status) && code == 0) code = 128 + WTERMSIG(status);
  }
  if (!all_ended) {
    since_.reset();
    return std::nullopt;
  }
  const auto now = std::chrono::steady_clock::now();
  if (!since_) since_ = now;
  if (now - *since_ < patience_) return std::nullopt;
  return code;
}

}  // namespace plait::run
