// SPDX-License-Identifier: BSD-3-Clause
// Linux namespaces: creating and entering them, and mounting file systems in them.
#include "cluster/namespaces.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/failure.hpp"
#include "cluster/cluster.hpp"
#include "plait/error.hpp"

namespace plait::cluster {
namespace {

[[noreturn]] void throw_not_permitted(const std::string& what, int code = kNotAllowed) {
  throw Failure(what, fmt::format("not permitted by the kernel ({})", std::strerror(errno)),
                "run as root, or allow user namespaces to mount and to create networks", code);
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0 ||
      ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw_not_permitted(path.string());
  }
}

}  // namespace

Pipe open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Failure("pipe", std::strerror(errno), "raise the limit on open files");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

pid_t fork_into(int new_namespaces) {
  // All arguments but the first are 0, so their order, which differs between processors, does not
  // matter.
  return static_cast<pid_t>(::syscall(SYS_clone, new_namespaces | SIGCHLD, 0, 0, 0, 0));
}

void end_with_parent(const Descriptor& parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before that.
  pollfd end{parent.get(), POLLIN, 0};
  if (::poll(&end, 1, 0) > 0 && (end.revents & POLLHUP) != 0) ::_exit(1);
}

Descriptor open_namespace(const std::filesystem::path& process, const std::string& kind) {
  const auto path = process / "ns" / kind;
  Descriptor found(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (found.get() < 0) {
    throw Failure(path.string(), std::strerror(errno),
                  "the cluster has ended or belongs to another user; see plait cluster status");
  }
  return found;
}

NodeNamespaces open_namespaces(const std::filesystem::path& process) {
  return {open_namespace(process, "net"), open_namespace(process, "uts"),
          open_namespace(process, "ipc"), open_namespace(process, "mnt")};
}

void enter(const Descriptor& one) {
  if (::setns(one.get(), 0) != 0) throw_not_permitted("setns", 1);
}

void enter(const NodeNamespaces& namespaces) {
  enter(namespaces.net);
  enter(namespaces.uts);
  enter(namespaces.ipc);
  enter(namespaces.mnt);
}

void in_network_of(pid_t pid, const std::function<void()>& task) {
  const Descriptor own = open_namespace("/proc/self", "net");
  enter(open_namespace(fmt::format("/proc/{}", pid), "net"));
  try {
    task();
  } catch (...) {
    enter(own);
    throw;
  }
  enter(own);
}

void become_root(uid_t uid, gid_t gid) {
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", fmt::format("0 {} 1", uid));
  write_file("/proc/self/gid_map", fmt::format("0 {} 1", gid));
}

void mount_privately() {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    throw_not_permitted("private mounts");
}

void mount_new(const std::string& type, const std::filesystem::path& target,
               const std::string& options) {
  std::error_code there;
  std::filesystem::create_directories(target, there);
  if (::mount(type.c_str(), target.c_str(), type.c_str(), MS_NOSUID | MS_NODEV, options.c_str()) !=
      0) {
    throw_not_permitted(fmt::format("mounting {} on {}", type, target.string()));
  }
}

void mount_over(const std::filesystem::path& source, const std::filesystem::path& target) {
  if (::mount(source.c_str(), target.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    throw_not_permitted(fmt::format("mounting {} on {}", source.string(), target.string()));
  }
}

void show_own_interfaces(const std::filesystem::path& scratch) {
  if (::mount("sysfs", scratch.c_str(), "sysfs", MS_NOSUID | MS_NODEV | MS_RDONLY, "") != 0) return;
  // class/net has links into devices/virtual/net.
  for (const char* part : {"class/net", "devices/virtual/net"}) {
    const auto target = std::filesystem::path("/sys") / part;
    ::mount((scratch / part).c_str(), target.c_str(), nullptr, MS_BIND, nullptr);
  }
  ::umount2(scratch.c_str(), MNT_DETACH);
}

}  // namespace plait::cluster
