// SPDX-License-Identifier: BSD-3-Clause
// Linux namespaces: creating and entering them, and mounting file systems in them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

#include "base/descriptor.hpp"

namespace plait::cluster {

/// Both ends of a pipe.
struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

/// @throws Error when there are too many open files.
Pipe open_pipe();

/// fork(2) with new namespaces (CLONE_NEW...) for the child. Returns as fork does; -1: failed, see
/// errno.
pid_t fork_into(int new_namespaces);

/// Makes the calling process end with its parent (the thread that forked it), even if the parent is
/// in another PID namespace.
/// @param parent  read end of a pipe whose write end only the parent holds
void end_with_parent(const Descriptor& parent);

/// The namespaces of a node, except user and PID.
struct NodeNamespaces {
  Descriptor net, uts, ipc, mnt;
};

/// Opens the namespaces of a process.
/// @param process  its folder in /proc
/// @throws Error when the process has ended.
NodeNamespaces open_namespaces(const std::filesystem::path& process);

/// Opens one namespace of a process ("net", "user" ...).
/// @throws Error when the process has ended.
Descriptor open_namespace(const std::filesystem::path& process, const std::string& kind);

/// Moves this process into namespaces. Entering a mount namespace changes root and current folder.
/// @throws Error when the kernel does not permit it.
void enter(const NodeNamespaces& namespaces);
void enter(const Descriptor& one);

/// Runs `task` in the network namespace of another process.
void in_network_of(pid_t pid, const std::function<void()>& task);

/// Maps the user of this process to root in its new user namespace.
/// @param uid,gid  outside the namespace
void become_root(uid_t uid, gid_t gid);

/// Keeps later mounts in this mount namespace private to it.
void mount_privately();

/// Mounts a new file system of a type; creates the target if it is missing.
/// @throws Error (exit code 77) when the kernel does not permit it.
void mount_new(const std::string& type, const std::filesystem::path& target,
               const std::string& options = {});

/// Mounts a file or folder over another one (bind mount).
/// @throws Error (exit code 77) when the kernel does not permit it.
void mount_over(const std::filesystem::path& source, const std::filesystem::path& target);

/// Makes /sys show the network interfaces of this network namespace, where libraries look for them,
/// and leaves the rest of /sys as it is. If that is not permitted, /sys shows the machine's.
/// @param scratch  an empty folder
void show_own_interfaces(const std::filesystem::path& scratch);

}  // namespace plait::cluster
