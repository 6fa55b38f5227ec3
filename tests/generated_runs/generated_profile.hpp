// SPDX-License-Identifier: BSD-3-Clause
// Generates runs of many ranks: run directories with a record for each rank, as plait run writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plait::generated {

enum class Pattern {
  ring,    ///< two neighbours, on a line that closes
  stencil  ///< six neighbours on a periodic grid of three dimensions
};

struct RunShape {
  int ranks = 8;
  int ranks_per_node = 64;
  Pattern pattern = Pattern::stencil;
  std::uint64_t seed = 1;
  double imbalance = 0.02;       ///< standard deviation of the ranks' computation, by its mean
  int slow_rank = -1;            ///< computes 1.5 times as long as the others; -1: none
  int slow_node = -1;            ///< its ranks compute 1.3 times as long; -1: none
  int slow_link[2] = {-1, -1};   ///< ranks: their messages take 40 times as long; -1: none
  int slow_nodes[2] = {-1, -1};  ///< the messages between their ranks take 40 times as long
  int slow_row = -1;  ///< of the grid, along its first extent: computes 1.3 times as long
};

/// The most even grid of three dimensions with that many ranks.
std::vector<int> grid_of(int ranks);

/// The ranks with which a rank exchanges messages, ascending, each once and never itself.
std::vector<int> neighbours_of(const RunShape& shape, int rank);

/// "node0003"
std::string host_of(const RunShape& shape, int rank);

/// Seconds that a rank computes in a step of one second: depends on shape, rank and nothing else.
double compute_s(const RunShape& shape, int rank);

/// Writes run.json and records/*.rec into a folder that does not exist yet. Pages without content
/// take no room on the disk.
void write_profile(const RunShape& shape, const std::filesystem::path& run);

/// Writes run.json only.
void write_run_file(const RunShape& shape, const std::filesystem::path& run);

}  // namespace plait::generated
