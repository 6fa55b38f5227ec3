// SPDX-License-Identifier: BSD-3-Clause
// The head process of a cluster: the first process of its PID namespace; the cluster ends with it.
#pragma once

#include <filesystem>

namespace plait::cluster {

/// Descriptors that the head inherits from the process that starts it.
struct HeadDescriptors {
  int lock = -1;      ///< the folder's lock, which the head keeps
  int report = -1;    ///< to write: "ok PID...\n" with the nodes' processes, or "CODE error text\n"
  int go_ahead = -1;  ///< to read: one byte when the starter is done; closes if the starter ends
};

/// Creates the nodes and the network that the cluster's folder describes, reports, and waits until
/// one of the cluster's processes ends: the cluster is up as a whole or not at all. Must be started
/// in new namespaces of all kinds.
[[noreturn]] void run_head(const std::filesystem::path& folder, HeadDescriptors descriptors);

}  // namespace plait::cluster
