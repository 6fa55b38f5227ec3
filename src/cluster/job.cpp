// SPDX-License-Identifier: BSD-3-Clause
// Runs programs on a node of a cluster: jobs, which end as a whole, and a launcher's remote shell.
#include "cluster/job.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/failure.hpp"
#include "cluster/cluster.hpp"
#include "cluster/namespaces.hpp"
#include "cluster/state.hpp"
#include "plait/error.hpp"

namespace plait::cluster {
namespace {

namespace fs = std::filesystem;

/// The process that keeps a node's namespaces: its folder in /proc as this process sees it.
fs::path holder_of(const Cluster& cluster, const std::string& node) {
  int pid = 1;  // the head is the first process of the cluster
  if (node != kHead) {
    const auto known = std::find_if(
        cluster.nodes.begin(), cluster.nodes.end(),
        [&](const Node& candidate) { return candidate.name == node || candidate.address == node; });
    if (known == cluster.nodes.end()) {
      throw Error(node, fmt::format("not a node of cluster {}", cluster.request.name),
                  fmt::format("its nodes are head, n0 to n{}", cluster.nodes.size() - 1));
    }
    pid = known->pid;
  }
  fs::path proc = cluster.folder / "proc";
  if (!inside()) {
    proc = fmt::format("/proc/{}/root{}", cluster.head_pid, proc.string());
  }
  return proc / std::to_string(pid);
}

void use_cores_of(const Cluster& cluster, const std::string& node) {
  for (const Node& candidate : cluster.nodes) {
    if (candidate.name != node) continue;
    cpu_set_t pus;
    CPU_ZERO(&pus);
    for (const int pu : candidate.pus) CPU_SET(static_cast<std::size_t>(pu), &pus);
    if (::sched_setaffinity(0, sizeof pus, &pus) != 0) {
      fmt::print(stderr, "plait: warning: {} runs on all cores ({})\n", node, std::strerror(errno));
    }
  }
}

void set_environment(const Cluster& cluster, const std::string& node) {
  ::setenv("PLAIT_CLUSTER", cluster.folder.c_str(), 1);
  ::setenv("PLAIT_CLUSTER_NODE", node.c_str(), 1);
  // Per node, so that launchers' temporary files vanish with it.
  ::setenv("TMPDIR", "/dev/shm/tmp", 1);
}

/// Changes to the folder that was current before the mount namespace changed.
void return_to(const std::string& folder) {
  if (::chdir(folder.c_str()) != 0) {
    fmt::print(stderr, "plait: warning: {}: {}; running in /\n", folder, std::strerror(errno));
  }
}

[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  fmt::print(stderr, "plait: error: {}: cannot be started ({})\n", command[0],
             std::strerror(errno));
  ::_exit(127);
}

/// Blocks signals while it lives, so that they can be read; restore() undoes that in a child.
class SignalReader {
public:
  SignalReader() {
    ::sigemptyset(&read_);
    for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
      ::sigaddset(&read_, number);
    }
    ::sigprocmask(SIG_BLOCK, &read_, &before_);
  }
  void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

  /// Waits for the end of a child, forwards signals to it and reaps orphans meanwhile.
  /// @returns its exit code, or 128 + signal
  [[nodiscard]] int wait_for(pid_t child) const {
    for (;;) {
      siginfo_t info{};
      const int number = ::sigwaitinfo(&read_, &info);
      // Signals from a terminal (^C) reach the whole process group anyway.
      if (number > 0 && number != SIGCHLD && info.si_code <= SI_USER) ::kill(child, number);
      if (number != SIGCHLD) continue;
      int status = 0;
      for (pid_t ended = ::waitpid(-1, &status, WNOHANG); ended > 0;
           ended = ::waitpid(-1, &status, WNOHANG)) {
        if (ended != child) continue;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      }
    }
  }

private:
  sigset_t read_{};
  sigset_t before_{};
};

/// Forks a child that runs `task` and ends with this process, and waits for its end.
template <typename Task>
int in_child(int new_namespaces, const Task& task) {
  const Pipe life = open_pipe();
  const SignalReader signals;
  const pid_t child = fork_into(new_namespaces);
  if (child < 0) throw Failure("job", fmt::format("cannot start ({})", std::strerror(errno)), "");
  if (child == 0) {
    ::close(life.write_end.get());
    end_with_parent(life.read_end);
    try {
      ::_exit(task(signals));
    } catch (const Error& error) {
      fmt::print(stderr, "plait: error: {}\n", error.what());
      ::_exit(exit_code_of(error));
    }
  }
  return signals.wait_for(child);
}

/// Runs the command on the node, in a PID namespace whose first process waits for it.
int run_contained(const Cluster& cluster, const std::string& node, const std::string& folder,
                  const std::vector<std::string>& command) {
  use_cores_of(cluster, node);
  return in_child(CLONE_NEWPID | CLONE_NEWNS, [&](const SignalReader& outer) {
    mount_new("proc", "/proc");
    return_to(folder);
    set_environment(cluster, node);
    const SignalReader signals;
    const pid_t program = ::fork();
    if (program == 0) {
      outer.restore();
      become(command);
    }
    return signals.wait_for(program);
  });
}

}  // namespace

int run_job(const fs::path& folder, const std::string& node,
            const std::vector<std::string>& command) {
  const Cluster cluster = load(folder);
  const std::string here = fs::current_path().string();
  const fs::path holder = holder_of(cluster, node);
  const NodeNamespaces namespaces = open_namespaces(holder);
  const auto on_node = [&](const SignalReader& signals) {
    signals.restore();
    enter(namespaces);
    return run_contained(cluster, node, here, command);
  };
  if (!inside()) {
    const Descriptor pids = open_namespace(holder, "pid");
    if (cluster.user_namespace) enter(open_namespace(holder, "user"));
    enter(pids);
  }
  return in_child(0, on_node);
}

int run_shell(const fs::path& folder, const std::string& node, const std::string& command) {
  const Cluster cluster = load(folder);
  const std::string here = fs::current_path().string();
  enter(open_namespaces(holder_of(cluster, node)));
  if (::unshare(CLONE_NEWNS) != 0) throw Failure("unshare", std::strerror(errno), "");
  mount_new("proc", "/proc");
  return_to(here);
  use_cores_of(cluster, node);
  set_environment(cluster, node);
  const char* const shell = ::access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
  become({shell, "-c", command});
}

}  // namespace plait::cluster
