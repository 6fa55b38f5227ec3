// SPDX-License-Identifier: BSD-3-Clause
// Starts the processes of a measurement and waits for them.
#include "team.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <new>

#include "base/failure.hpp"

namespace plait::queues {
namespace {

using namespace transport;

constexpr int kOtherDied = 3;  ///< exit code of a process that another one has left alone

struct Unmap {
  void operator()(Control* control) const { munmap(control, sizeof *control); }
};

std::unique_ptr<Control, Unmap> shared_control() {
  void* const memory =
      mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Failure("memory", std::strerror(errno), "free some");
  return std::unique_ptr<Control, Unmap>(new (memory) Control{});
}

/// Binds a process to the CPU of its number, of those on which this one may run, if there is one
/// for each. Else they could all start on one CPU, and stay there while they spin.
void bind_to_own_cpu(uint32_t self, uint32_t processes) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  if (processes > static_cast<uint32_t>(CPU_COUNT(&allowed))) return;
  uint32_t number = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || number++ != self) continue;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(cpu, &own);
    sched_setaffinity(0, sizeof own, &own);  // without it the figures are only less certain
    return;
  }
}

/// In a child.
[[noreturn]] void work(Node& node, uint32_t self, const Plan& plan, Control& control,
                       pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kOtherDied);  // it was killed before
  bind_to_own_cpu(self, node.members());
  try {
    std::unique_ptr<Queues> queues = join(node, self);
    while (!node.all_entered()) {
      if (control.stopped.load() != 0) _exit(kOtherDied);
      usleep(200);
    }
    const bool complete = take_part(*queues, plan, control);
    queues.reset();  // it leaves; to the others it would be dead otherwise
    _exit(complete ? 0 : kOtherDied);
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    _exit(kFailureExit);
  }
}

/// How a process ended.
std::string outcome_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("killed by signal {}", WTERMSIG(status));
  return fmt::format("ended with code {}", WEXITSTATUS(status));
}

bool was_left_alone(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == kOtherDied;
}

/// Waits until all have ended. @return what went wrong; empty: nothing
std::string wait_for(const std::vector<pid_t>& processes, Control& control) {
  std::string fault;
  bool is_cause = false;
  for (std::size_t ended = 0; ended < processes.size(); ++ended) {
    int status = 0;
    const pid_t process = waitpid(-1, &status, 0);
    if (process < 0) break;
    if (status == 0) continue;
    control.stopped.store(1);
    if (fault.empty() || (!is_cause && !was_left_alone(status))) {
      fault = fmt::format("process {}: {}", process, outcome_of(status));
      is_cause = !was_left_alone(status);
    }
  }
  return fault;
}

}  // namespace

Result measure(const Design& design, uint32_t processes, const Plan& plan) {
  Node node = create_node(design, processes);
  const auto control = shared_control();
  const pid_t parent = getpid();
  std::vector<pid_t> started;
  for (uint32_t self = 0; self < processes; ++self) {
    const pid_t process = fork();
    if (process == 0) work(node, self, plan, *control, parent);
    if (process < 0) {
      const std::string reason = std::strerror(errno);
      control->stopped.store(1);
      wait_for(started, *control);
      throw Failure(fmt::format("process {} of {}", self + 1, processes),
                    "cannot be started: " + reason, "use fewer processes, or raise ulimit -u");
    }
    started.push_back(process);
  }
  const std::string fault = wait_for(started, *control);
  if (!fault.empty()) throw Failure(fault + "; run plait-queues again", kFailureExit);
  Result result{&design, processes, {}, node.segment().reserved()};
  for (uint32_t measure = 0; measure < kMeasures; ++measure) {
    const double* const samples = control->samples[measure];
    result.samples[measure].assign(samples, samples + kBlocks);
  }
  return result;
}

}  // namespace plait::queues
