// SPDX-License-Identifier: BSD-3-Clause
// Builds the call tree of a run from the files of samples of its ranks.
#pragma once

#include <string>
#include <vector>

#include "samples/call_tree.hpp"
#include "trace/rank_record.hpp"

namespace plait::samples {

/// True if one of the processes left samples.
bool has_samples(const std::vector<const trace::RankRecord*>& ranks);

/// Reads the samples beside the records of a job and names their frames, with addr2line.
///
/// Frames inside an MPI library become one node, the function that the program called. Those of
/// OpenMP runtimes become one node if the sample is in them, and are left out between a region and
/// its body. A thread of a team is below what started the region. Frames before main are left out.
/// Files that cannot be read are named in the tree's notes.
CallTree build_call_tree(const std::vector<const trace::RankRecord*>& ranks);

}  // namespace plait::samples
