// SPDX-License-Identifier: BSD-3-Clause
// The head process of a cluster: first process of its PID namespace, with which all of it ends.
#pragma once

#include <filesystem>

namespace plait::cluster {

/// Descriptors that the head inherits from the process that starts it.
struct HeadDescriptors {
  int lock = -1;      ///< the folder's lock, held by the head from now on
  int report = -1;    ///< written: "ok PID...\n" with the nodes' holders, or "CODE error text\n"
  int go_ahead = -1;  ///< read: one byte once all is known outside; its end closes with the starter
};

/// Makes the nodes and their network as the cluster's folder describes them, reports, and waits
/// until one of its processes ends: the cluster is up as a whole or not at all. Started in new
/// namespaces of all kinds.
[[noreturn]] void run_head(const std::filesystem::path& folder, HeadDescriptors descriptors);

}  // namespace plait::cluster
