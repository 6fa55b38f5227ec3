// SPDX-License-Identifier: BSD-3-Clause
// Linux namespaces: processes in new ones, processes that enter those of others, what is mounted.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

namespace plait::cluster {

/// A descriptor, closed at the end.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] int get() const { return fd_; }
  int release();

private:
  int fd_;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

/// @throws Error when there are too many open files.
Pipe open_pipe();

/// fork(2) with new namespaces (CLONE_NEW...) for the child. Two results, as fork has; -1: refused.
pid_t fork_into(int new_namespaces);

/// Makes the calling process end when its parent (the thread that forked it) does, also in a PID
/// namespace that its parent is not in.
/// @param parent  read end of a pipe of which the parent alone holds the write end
void end_with_parent(const Descriptor& parent);

/// The namespaces of a process that a program on its node lives in, besides user and PID.
struct NodeNamespaces {
  Descriptor net, uts, ipc, mnt;
};

/// @param process  its folder in /proc
/// @throws Error when it has ended.
NodeNamespaces open_namespaces(const std::filesystem::path& process);

/// Opens one namespace of a process ("net", "user" ...).
/// @throws Error when it has ended.
Descriptor open_namespace(const std::filesystem::path& process, const std::string& kind);

/// Moves this process into them. Its current folder and root are those of the mount namespace then.
/// @throws Error when the kernel refuses.
void enter(const NodeNamespaces& namespaces);
void enter(const Descriptor& one);

/// Runs `task` with this process' network namespace set to that of another process.
void in_network_of(pid_t pid, const std::function<void()>& task);

/// Maps this process' user to root of its new user namespace.
/// @param uid,gid  as they were outside
void become_root(uid_t uid, gid_t gid);

/// Makes what is mounted from now on in this mount namespace its own.
void mount_privately();

/// Mounts a file system of a type; the target is made when missing.
/// @throws Error (exit code 77) when the kernel refuses.
void mount_new(const std::string& type, const std::filesystem::path& target,
               const std::string& options = {});

/// Shows a file or folder in another place, too.
/// @throws Error (exit code 77) when the kernel refuses.
void mount_over(const std::filesystem::path& source, const std::filesystem::path& target);

/// Lets /sys name the network interfaces of this network namespace, without hiding the rest of it.
/// Libraries look for them there. Where it is refused, they see the machine's.
/// @param scratch  an empty folder
void show_own_interfaces(const std::filesystem::path& scratch);

}  // namespace plait::cluster
