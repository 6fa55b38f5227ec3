// SPDX-License-Identifier: BSD-3-Clause
// Describes a cluster: a sentence and a table of its nodes.
#pragma once

#include <string>

#include "cluster/cluster.hpp"

namespace plait::cluster {

/// At most 80 columns; ends with a newline.
std::string show(const Cluster& cluster);

}  // namespace plait::cluster
