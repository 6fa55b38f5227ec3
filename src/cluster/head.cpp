// SPDX-License-Identifier: BSD-3-Clause
// The head process of a cluster: the first process of its PID namespace; the cluster ends with it.
#include "cluster/head.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "cluster/cluster.hpp"
#include "cluster/namespaces.hpp"
#include "cluster/network.hpp"
#include "cluster/rights.hpp"
#include "cluster/state.hpp"
#include "cluster/switch.hpp"
#include "plait/error.hpp"

namespace plait::cluster {
namespace {

/// Closes all other inherited files: whoever waits for the end of one of them must not wait for the
/// end of the cluster.
void close_other_files(const HeadDescriptors& kept) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {0, 1, 2}) ::dup2(null, standard);
  constexpr int kMost = 4096;
  for (int fd = 3; fd < kMost; ++fd) {
    if (fd != kept.lock && fd != kept.report && fd != kept.go_ahead) ::close(fd);
  }
  for (const int fd : {kept.lock, kept.report, kept.go_ahead}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void write_report(int descriptor, const std::string& line) {
  [[maybe_unused]] const ssize_t written = ::write(descriptor, line.data(), line.size());
}

constexpr const char* kReady = "ready";

/// Waits until a child writes that it is ready, or why it cannot be.
void wait_until_ready(const Descriptor& child, const std::string& what) {
  std::array<char, 512> buffer{};
  const ssize_t bytes = ::read(child.get(), buffer.data(), buffer.size() - 1);
  const std::string answer(buffer.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  if (answer != kReady) throw Failure(what, answer.empty() ? "has ended" : answer, "", kNotAllowed);
}

/// Gives the node its own /dev/shm, for shared memory and launchers' temporary files, which vanish
/// with the node.
void mount_shared_memory() {
  mount_new("tmpfs", "/dev/shm", "mode=1777");
  if (::mkdir("/dev/shm/tmp", 0777) != 0 || ::chmod("/dev/shm/tmp", 01777) != 0) {
    throw Error("/dev/shm/tmp", std::strerror(errno), "");
  }
}

void name_host(const std::string& name) {
  if (::sethostname(name.data(), name.size()) != 0) {
    throw Failure(name, fmt::format("cannot set the host name ({})", std::strerror(errno)), "",
                  kNotAllowed);
  }
}

void become_head_node(const Cluster& cluster) {
  mount_privately();
  name_host(kHead);
  mount_new("proc", "/proc");
  // A second one, in which jobs, whose /proc shows only their own processes, find the nodes.
  mount_new("proc", cluster.folder / "proc");
  mount_shared_memory();
  std::string hosts = fmt::format("127.0.0.1 localhost\n{} {}\n", kHeadAddress, kHead);
  for (const Node& node : cluster.nodes) hosts += fmt::format("{} {}\n", node.address, node.name);
  write_text_file(cluster.folder / "hosts", hosts);
  mount_over(cluster.folder / "hosts", "/etc/hosts");
  std::filesystem::create_directories(cluster.folder / "sys");
}

/// Keeps a node's namespaces until it is killed.
[[noreturn]] void hold_node(const Cluster& cluster, const Node& node, int ready) {
  ::prctl(PR_SET_NAME, node.name.c_str());
  try {
    name_host(node.name);
    mount_shared_memory();
    show_own_interfaces(cluster.folder / "sys");
    drop_rights();
    write_report(ready, kReady);
  } catch (const Error& error) {
    write_report(ready, error.what());
  }
  ::close(ready);
  for (;;) ::pause();
}

pid_t start_holder(const Cluster& cluster, const Node& node) {
  Pipe ready = open_pipe();
  const pid_t pid = fork_into(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS);
  if (pid < 0) {
    throw Failure(node.name, fmt::format("namespaces are not permitted ({})", std::strerror(errno)),
                  "raise sysctl user.max_net_namespaces and user.max_mnt_namespaces", kNotAllowed);
  }
  if (pid == 0) hold_node(cluster, node, ready.write_end.release());
  ready.write_end = Descriptor();
  wait_until_ready(ready.read_end, node.name);
  return pid;
}

/// Starts the switch in its own network namespace, in which it creates the links.
pid_t start_switch(const Cluster& cluster, const std::vector<pid_t>& holders) {
  write_switch_rate(cluster.folder, cluster.request.bytes_per_second);
  Pipe ready = open_pipe();
  const pid_t pid = fork_into(CLONE_NEWNET);
  if (pid < 0) throw Failure("switch", std::strerror(errno), "raise the limit on processes");
  if (pid != 0) {
    ready.write_end = Descriptor();
    wait_until_ready(ready.read_end, "switch");
    return pid;
  }
  ::prctl(PR_SET_NAME, "switch");
  std::vector<Descriptor> ports;
  try {
    ports = make_ports(holders);
  } catch (const Error& error) {
    write_report(ready.write_end.get(), error.what());
    ::_exit(1);
  }
  write_report(ready.write_end.get(), kReady);
  run_switch(ports, cluster.request.latency_s, cluster.folder);
}

/// Processes without which the cluster cannot work.
struct Members {
  std::vector<pid_t> holders;
  pid_t network_switch = 0;  ///< 0: there is none

  [[nodiscard]] bool has(pid_t pid) const {
    return pid == network_switch || std::find(holders.begin(), holders.end(), pid) != holders.end();
  }
};

Members make_cluster(const Cluster& cluster) {
  become_head_node(cluster);
  Members members;
  for (const Node& node : cluster.nodes) members.holders.push_back(start_holder(cluster, node));
  // Not earlier: the kernel lets a user namespace mount only what it already sees completely.
  show_own_interfaces(cluster.folder / "sys");
  if (cluster.request.latency_s > 0) {
    members.network_switch = start_switch(cluster, members.holders);
  } else {
    join_by_bridge(members.holders);
  }
  set_addresses(members.holders);
  return members;
}

/// Reaps orphans until a member ends.
void wait_for_end(const Members& members) {
  for (;;) {
    const pid_t ended = ::waitpid(-1, nullptr, 0);
    if (members.has(ended) || (ended < 0 && errno != EINTR)) return;
  }
}

}  // namespace

void run_head(const std::filesystem::path& folder, HeadDescriptors descriptors) {
  close_other_files(descriptors);
  ::setsid();
  ::prctl(PR_SET_NAME, "plait-cluster");
  // Only SIGKILL ends the cluster, and then as a whole.
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE}) {
    ::signal(number, SIG_IGN);
  }
  const Descriptor go_ahead(descriptors.go_ahead);
  end_with_parent(go_ahead);
  try {
    const Cluster cluster = load(folder);
    const Members members = make_cluster(cluster);
    std::string report = "ok";
    for (const pid_t pid : members.holders) report += fmt::format(" {}", pid);
    write_report(descriptors.report, report + "\n");
    char byte = 0;
    if (::read(go_ahead.get(), &byte, 1) != 1) ::_exit(1);
    if (!cluster.request.ends_with_caller) ::prctl(PR_SET_PDEATHSIG, 0);
    drop_rights();
    write_report(descriptors.report, "free\n");  // from now on the starter may exit
    wait_for_end(members);
  } catch (const Error& error) {
    write_report(descriptors.report, fmt::format("{} {}\n", exit_code_of(error), error.what()));
  }
  ::_exit(1);
}

}  // namespace plait::cluster
