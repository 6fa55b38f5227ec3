// SPDX-License-Identifier: BSD-3-Clause
// A process of another program beside measured runs.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/// A process that uses a CPU until the object ends.
class BusyProcess {
public:
  explicit BusyProcess(bool wanted) {
    if (!wanted) return;
    pid_ = fork();
    if (pid_ != 0) return;
    volatile unsigned count = 0;
    for (;;) count = count + 1;
  }
  ~BusyProcess() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;

private:
  pid_t pid_ = -1;
};
