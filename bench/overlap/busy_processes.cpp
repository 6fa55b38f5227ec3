// SPDX-License-Identifier: BSD-3-Clause
// Forks processes that are bound to CPUs.
#include "busy_processes.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "plait/error.hpp"

namespace plait::bench {

BusyProcesses::BusyProcesses(int per_cpu) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    for (int i = 0; i < per_cpu; ++i) {
      const pid_t process = fork();
      if (process < 0) throw Error("busy processes", "cannot fork", "");
      if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        // Linux may share CPUs between sessions before processes (sched_autogroup). So each is a
        // session, like the ranks of most launchers.
        setsid();
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        for (volatile unsigned counter = 0;;) counter = counter + 1;
      }
      processes_.push_back(process);
    }
  }
}

BusyProcesses::~BusyProcesses() {
  for (const pid_t process : processes_) kill(process, SIGKILL);
  for (const pid_t process : processes_) waitpid(process, nullptr, 0);
}

}  // namespace plait::bench
