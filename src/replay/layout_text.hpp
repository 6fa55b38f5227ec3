// SPDX-License-Identifier: BSD-3-Clause
// Parses placements, mappings and generated programs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "replay/program.hpp"

namespace plait::replay {

/// The node of each rank, from "0-3:a,4-7:b" (ranks and a node's name or number) or
/// "nodes=4[,block|cyclic]" (default: block, consecutive ranks fill a node).
/// @throws Error when the syntax is wrong, or a rank has no node or two nodes.
std::vector<std::uint32_t> parse_placement(const std::string& text, std::uint32_t ranks);

/// The node of each rank when rank r runs where rank mapping[r] ran, from "1,0,3,2".
/// @param nodes  by rank, as recorded
/// @throws Error when it is not a permutation of the ranks.
std::vector<std::uint32_t> parse_mapping(const std::string& text,
                                         const std::vector<std::uint32_t>& nodes);

/// A halo exchange from "halo,ranks=64,nodes=4,compute=10ms,faces=112.5KiB,iterations=10" and
/// optionally "grid=4x4x4" and "periodic". Faces may differ by axis: faces=8KiB:16KiB:16KiB.
/// Without a grid, model::parts_for_nodes arranges the ranks.
/// @throws Error that names the invalid part.
HaloProgram parse_halo(const std::string& text);

/// All-to-all exchanges from "transposes,ranks=64,nodes=4,compute=10ms,bytes=3MiB,iterations=10".
/// @throws Error that names the invalid part.
TransposeProgram parse_transposes(const std::string& text);

/// The program that such a text describes.
/// @throws Error that names the invalid part.
std::unique_ptr<Program> generated_program(const std::string& text);

}  // namespace plait::replay
