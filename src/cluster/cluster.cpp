// SPDX-License-Identifier: BSD-3-Clause
// Starts, finds, changes and ends clusters.
#include "cluster/cluster.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <thread>

#include "base/failure.hpp"
#include "base/layout.hpp"
#include "base/subprocess.hpp"
#include "cluster/cores.hpp"
#include "cluster/namespaces.hpp"
#include "cluster/network.hpp"
#include "cluster/rights.hpp"
#include "cluster/state.hpp"
#include "cluster/switch.hpp"
#include "machine/discover.hpp"
#include "machine/machine_file.hpp"
#include "plait/error.hpp"
#include "text/units.hpp"

namespace plait::cluster {
namespace {

namespace fs = std::filesystem;

constexpr int kEverything = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS;
constexpr std::chrono::seconds kStartLimit{60};
constexpr double kLowestRate = 1e3, kHighestRate = 12.5e9;  // bytes per second
constexpr double kHighestLatency = 1;
constexpr double kLeastBurst = 5 << 10, kMostBurst = 4 << 20;  // bytes

std::string helper() {
  const std::string program = (install_layout().libexec / "plait-node-shell").string();
  if (::access(program.c_str(), X_OK) != 0) {
    throw Failure(program, "not found", "install Plait again");
  }
  return program;
}

void check_rate(double bytes_per_second) {
  if (bytes_per_second >= kLowestRate && bytes_per_second <= kHighestRate) return;
  throw Error(format_bits_per_second(bytes_per_second), "link rate out of range",
              "give 8kbit to 100gbit");
}

void check(const ClusterRequest& request) {
  if (request.nodes < 1 || request.nodes > kMostNodes) {
    throw Error(fmt::format("{} nodes", request.nodes), "number of nodes out of range",
                fmt::format("give 1 to {} nodes", kMostNodes));
  }
  const auto letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
  if (request.name.empty() || request.name.size() > 32 ||
      !std::all_of(request.name.begin(), request.name.end(), letter)) {
    throw Error(fmt::format("\"{}\"", request.name), "not a cluster name",
                "use up to 32 letters, digits, - and _");
  }
  check_rate(request.bytes_per_second);
  if (request.burst_bytes != 0 &&
      (request.burst_bytes < kLeastBurst || request.burst_bytes > kMostBurst)) {
    throw Error("burst " + format_bytes(request.burst_bytes), "out of range",
                fmt::format("give {} to {}", format_bytes(kLeastBurst), format_bytes(kMostBurst)));
  }
  if (request.latency_s < 0 || request.latency_s > kHighestLatency) {
    throw Error("latency " + format_seconds(request.latency_s, Zeros::dropped), "out of range",
                "give up to 1s");
  }
}

std::vector<Node> make_nodes(const ClusterRequest& request) {
  const machine::Topology topology = machine::discover_local().topology;
  const std::vector<int> allowed = topology.allowed_cores();
  const auto shares =
      share_cores(static_cast<int>(allowed.size()), request.nodes, request.cores_per_node);
  std::vector<Node> nodes;
  for (const std::vector<int>& share : shares) {
    Node node;
    const int index = static_cast<int>(nodes.size());
    node.name = fmt::format("n{}", index);
    node.address = node_address(index);
    node.cores = static_cast<int>(share.size());
    for (const int core : share) {
      const auto pus = topology.allowed_pus_of(allowed[static_cast<std::size_t>(core)]);
      node.pus.insert(node.pus.end(), pus.begin(), pus.end());
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// Pipes between the head process and the process that starts it.
struct HeadPipes {
  Pipe report = open_pipe();
  Pipe go_ahead = open_pipe();
};

[[noreturn]] void become_head(const std::string& program, const Cluster& cluster, int lock,
                              const HeadPipes& pipes) {
  // Only the starter may hold this end, so that the pipe closes when the starter ends.
  ::close(pipes.go_ahead.write_end.get());
  const std::array<int, 3> kept{lock, pipes.report.write_end.get(), pipes.go_ahead.read_end.get()};
  std::vector<std::string> arguments{program, "--head", cluster.folder.string()};
  for (const int fd : kept) {
    ::fcntl(fd, F_SETFD, 0);
    arguments.push_back(std::to_string(fd));
  }
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(1);
}

/// Starts the head process in new namespaces; adds a user namespace if they are refused without.
pid_t start_head(Cluster& cluster, const FolderLock& lock, const HeadPipes& pipes) {
  const std::string program = helper();
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  for (const bool own_user : {false, true}) {
    if (!own_user && uid != 0) continue;  // may create the namespaces, but not set them up
    cluster.user_namespace = own_user;
    save(cluster);
    const pid_t pid = fork_into(kEverything | (own_user ? CLONE_NEWUSER : 0));
    if (pid == 0) {
      try {
        if (own_user) become_root(uid, gid);
        become_head(program, cluster, lock.descriptor(), pipes);
      } catch (const Error& error) {
        const auto line = fmt::format("{} {}\n", exit_code_of(error), error.what());
        [[maybe_unused]] const ssize_t written =
            ::write(pipes.report.write_end.get(), line.data(), line.size());
        ::_exit(1);
      }
    }
    if (pid > 0) return pid;
  }
  throw Failure("cluster", fmt::format("namespaces are not permitted ({})", std::strerror(errno)),
                "run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone, "
                "user.max_user_namespaces)",
                kNotAllowed);
}

/// The line that the head process reports; empty if it ends or the time limit passes first.
std::string read_report(const Descriptor& report) {
  std::string line;
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  while (line.empty() || line.back() != '\n') {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd wait{report.get(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) == 0) return "";
    std::array<char, 4096> buffer{};
    const ssize_t bytes = ::read(report.get(), buffer.data(), buffer.size());
    if (bytes <= 0) return line;
    line.append(buffer.data(), static_cast<std::size_t>(bytes));
  }
  line.pop_back();
  return line;
}

/// Kills a process and waits until it and its PID namespace have ended.
void kill_and_wait(int pid) {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (process.get() < 0) return;
  ::kill(pid, SIGKILL);
  pollfd end{process.get(), POLLIN, 0};
  ::poll(&end, 1, 10'000);
  ::waitpid(pid, nullptr, WNOHANG);  // if it is our child
}

/// Waits until the head process reports that the cluster is up.
void wait_until_up(Cluster& cluster, const HeadPipes& pipes) {
  std::istringstream report(read_report(pipes.report.read_end));
  std::string first;
  report >> first;
  if (first != "ok") {
    const int code = std::atoi(first.c_str());
    std::string reason;
    std::getline(report >> std::ws, reason);
    throw Failure("cluster " + cluster.request.name,
                  reason.empty() ? "the head process ended during startup" : reason, "",
                  code == 0 ? 1 : code);
  }
  for (Node& node : cluster.nodes) report >> node.pid;
  save(cluster);
}

/// Detaches the head process from its starter, and waits until it is.
void release_head(const HeadPipes& pipes) {
  // If the head has ended meanwhile, find() removes the cluster later.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  struct sigaction before {};
  ::sigaction(SIGPIPE, &ignore, &before);
  [[maybe_unused]] const ssize_t written = ::write(pipes.go_ahead.write_end.get(), "+", 1);
  ::sigaction(SIGPIPE, &before, nullptr);
  read_report(pipes.report.read_end);
}

/// The cluster of a folder; removes the folder of a dead one.
std::optional<Cluster> living(const fs::path& folder) {
  if (const auto lock = FolderLock::take_existing(folder)) {
    lock->remove_folder();
    return std::nullopt;
  }
  if (!fs::exists(folder / "cluster.json")) return std::nullopt;
  Cluster cluster = load(folder);
  // Without its nodes' processes it is still starting.
  if (cluster.nodes.empty() || cluster.nodes.front().pid == 0) return std::nullopt;
  return cluster;
}

/// The folder of the cluster that this process is in.
std::optional<fs::path> surrounding() {
  const char* const folder = std::getenv("PLAIT_CLUSTER");
  std::error_code problem;
  if (folder == nullptr || !fs::exists(fs::path(folder) / "proc" / "1", problem)) return {};
  return fs::path(folder);
}

void set_link(const Cluster& cluster, const std::string& node, const char* tool,
              const std::vector<std::string>& arguments) {
  std::vector<std::string> command{network_tool(tool)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const CommandResult result =
      run_command(on_node(cluster, node, command), std::chrono::seconds(20));
  if (result.exit_code == 0) return;
  throw Failure("link rate of " + node, result.err.substr(0, result.err.find('\n')),
                "load the kernel module sch_tbf", kNotAllowed);
}

}  // namespace

bool Cluster::shares_cores() const {
  std::set<int> seen;
  for (const Node& node : nodes) {
    for (const int pu : node.pus) {
      if (!seen.insert(pu).second) return true;
    }
  }
  return false;
}

bool inside() {
  return surrounding().has_value();
}

Cluster up(const ClusterRequest& request) {
  check(request);
  if (inside())
    throw Error(request.name, "cannot start a cluster within a cluster", "leave the cluster first");
  for (const char* tool : {"ip", "tc"}) network_tool(tool);
  Cluster cluster;
  cluster.request = request;
  cluster.folder = clusters_folder() / request.name;
  cluster.nodes = make_nodes(request);
  const auto lock = FolderLock::take(cluster.folder);
  if (!lock) {
    throw Error("cluster " + request.name, "already up",
                fmt::format("stop it (plait cluster down --name {}), or choose another --name",
                            request.name));
  }
  HeadPipes pipes;
  try {
    cluster.head_pid = start_head(cluster, *lock, pipes);
    if (cluster.user_namespace) drop_rights();  // its user has them within the cluster
    pipes.report.write_end = Descriptor();
    pipes.go_ahead.read_end = Descriptor();
    wait_until_up(cluster, pipes);
    set_rate(cluster, request.bytes_per_second);
    release_head(pipes);
  } catch (...) {
    if (cluster.head_pid > 0) kill_and_wait(cluster.head_pid);
    lock->remove_folder();
    throw;
  }
  return cluster;
}

std::optional<Cluster> find(const std::string& name) {
  if (const auto folder = surrounding()) {
    Cluster cluster = load(*folder);
    if (name != "default" && name != cluster.request.name) return std::nullopt;
    return cluster;
  }
  const fs::path folder = clusters_folder() / name;
  if (name.find('/') != name.npos || !fs::exists(folder)) return std::nullopt;
  return living(folder);
}

std::vector<Cluster> find_all() {
  std::vector<Cluster> clusters;
  if (const auto folder = surrounding()) {
    clusters.push_back(load(*folder));
    return clusters;
  }
  for (const auto& entry : fs::directory_iterator(clusters_folder())) {
    try {
      if (auto cluster = living(entry.path())) clusters.push_back(std::move(*cluster));
    } catch (const Error& error) {
      // Other clusters may be fine.
      fmt::print(stderr, "plait: warning: {}\n", error.what());
    }
  }
  std::sort(clusters.begin(), clusters.end(),
            [](const Cluster& a, const Cluster& b) { return a.request.name < b.request.name; });
  return clusters;
}

void down(const Cluster& cluster) {
  if (inside())
    throw Error(cluster.request.name, "cannot be stopped from within", "leave the cluster first");
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (!fs::exists(cluster.folder)) return;
    if (const auto lock = FolderLock::take_existing(cluster.folder)) {
      lock->remove_folder();
      return;
    }
    kill_and_wait(cluster.head_pid);
    std::this_thread::sleep_for(std::chrono::milliseconds(attempt));
  }
  throw Failure("cluster " + cluster.request.name, "did not stop",
                fmt::format("kill process {} and its children", cluster.head_pid));
}

OwnCluster::OwnCluster(ClusterRequest request) {
  request.ends_with_caller = true;
  cluster_ = up(request);
}

OwnCluster::~OwnCluster() {
  try {
    down(cluster_);
  } catch (const Error& error) {
    fmt::print(stderr, "plait: warning: {}\n", error.what());
  }
}

void set_rate(const Cluster& cluster, double bytes_per_second) {
  check_rate(bytes_per_second);
  const bool by_switch = cluster.request.latency_s > 0;
  const double burst_bytes = cluster.request.burst_bytes;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const std::string& node = cluster.nodes[i].name;
    const LinkEnd end = node_end(bytes_per_second, burst_bytes);
    set_link(cluster, node, "tc", rate_arguments(end, bytes_per_second));
    if (by_switch) {
      set_link(cluster, node, "ip", bundle_arguments(end, bytes_per_second));
    } else {
      set_link(cluster, node, "ip", packet_arguments(end, bytes_per_second));
      const LinkEnd far = bridge_end(i, bytes_per_second, burst_bytes);
      set_link(cluster, kHead, "tc", rate_arguments(far, bytes_per_second));
    }
  }
  if (by_switch) write_switch_rate(cluster.folder, bytes_per_second);
  Cluster changed = cluster;
  changed.request.bytes_per_second = bytes_per_second;
  save(changed);
}

std::vector<std::string> on_node(const Cluster& cluster, const std::string& node,
                                 const std::vector<std::string>& command) {
  const bool known = node == kHead || std::any_of(cluster.nodes.begin(), cluster.nodes.end(),
                                                  [&](const Node& n) { return n.name == node; });
  if (!known) {
    throw Error(node, fmt::format("not a node of cluster {}", cluster.request.name),
                fmt::format("its nodes are head, n0 to n{}", cluster.nodes.size() - 1));
  }
  std::vector<std::string> arguments{helper(), "--job", cluster.folder.string(), node, "--"};
  arguments.insert(arguments.end(), command.begin(), command.end());
  return arguments;
}

}  // namespace plait::cluster
