// SPDX-License-Identifier: BSD-3-Clause
// Layouts and generated programs as a person writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/program.hpp"

namespace plait::replay {

/// The node of each rank, from "0-3:a,4-7:b" (ranks and a node's name or number) or
/// "nodes=4[,block|cyclic]" (block is the default: ranks in order fill the nodes).
/// @throws Error when it is not understood, or a rank has no node or two.
std::vector<std::uint32_t> parse_placement(const std::string& text, std::uint32_t ranks);

/// The node of each rank when rank r runs where rank mapping[r] ran: "1,0,3,2".
/// @param nodes  where ranks ran, by rank
/// @throws Error when it is no permutation of the ranks.
std::vector<std::uint32_t> parse_mapping(const std::string& text,
                                         const std::vector<std::uint32_t>& nodes);

/// From "halo,ranks=64,nodes=4,compute=10ms,faces=112.5KiB,iterations=10[,grid=4x4x4][,periodic]";
/// faces may differ by axis: faces=8KiB:16KiB:16KiB. Without a grid the ranks are arranged as
/// model::parts_for_nodes does. @throws Error that names the part that is not understood.
HaloProgram parse_halo(const std::string& text);

}  // namespace plait::replay
