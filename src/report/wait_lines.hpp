// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a run with --wait waited for messages, below the report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plait::report {

/// How the ranks of a node waited.
struct NodeWaiting {
  std::string host;
  std::string policy;  ///< as the user named it
  int ranks = 0;
  std::uint64_t polls = 0;  ///< that found nothing
  std::uint64_t pauses = 0, yields = 0, sleeps = 0;
  double slept_s = 0;              ///< of all ranks
  std::uint64_t disturbances = 0;  ///< how often other programs were noticed on the cores
};

/// The nodes of a run, in the order of their names. Files that cannot be read are left out: a
/// process may have been killed before it was ready.
std::vector<NodeWaiting> read_waiting(const std::filesystem::path& run_dir);

/// A node from the content of its file. @throws Error that names `file` when it is damaged.
NodeWaiting parse_waiting(const std::string& content, const std::string& file);

/// Sentences of at most 80 columns; none if the run had no --wait.
std::vector<std::string> wait_lines(const std::vector<NodeWaiting>& nodes);

}  // namespace plait::report
