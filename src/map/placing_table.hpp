// SPDX-License-Identifier: BSD-3-Clause
// Where ranks were put, for a person: a sentence and a table.
#pragma once

#include <string>
#include <vector>

#include "machine/topology.hpp"
#include "map/placing.hpp"

namespace plait::map {

/// "4 ranks x 8 threads on 32 of 128 cores, 4 of 16 caches, 2 of 8 NUMA domains of HOST."
std::string placing_sentence(const Placing& placing, const machine::Topology& node,
                             const std::string& host);

/// Lines of rank, node, cores, hardware threads, last cache, NUMA domain, package.
/// @param names  the node of each rank
std::string placing_table(const Placing& placing, const machine::Topology& node,
                          const std::vector<std::string>& names);

}  // namespace plait::map
