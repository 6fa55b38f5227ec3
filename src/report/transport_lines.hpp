// SPDX-License-Identifier: BSD-3-Clause
// What became of --transport, below the report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plait::report {

/// The transport of a job on a node.
struct NodeTransport {
  std::string host;
  std::string design;   ///< as the user named it
  std::string refused;  ///< why it was not offered to the MPI library; empty: it was
  int ranks = 0;        ///< of the job on the node
  int users = 0;        ///< ranks whose MPI library took it
  std::uint64_t sent = 0, sent_bytes = 0;
  std::uint64_t pulled = 0;    ///< messages that were read in the sender's memory
  std::uint64_t streamed = 0;  ///< messages that were taken in pieces from shared memory
  std::uint64_t sleeps = 0, yields = 0;
};

/// The jobs of a run, in the order of their nodes. Files that cannot be read are left out: a
/// process may have been killed before it was ready.
std::vector<NodeTransport> read_transports(const std::filesystem::path& run_dir);

/// A job from the content of its file. @throws Error that names `file` when it is damaged.
NodeTransport parse_transport(const std::string& content, const std::string& file);

/// Sentences of at most 80 columns; none if the run had no --transport.
std::vector<std::string> transport_lines(const std::vector<NodeTransport>& jobs);

/// How the ranks of a run passed messages and waited for them: its lines about waiting and about
/// the transport. Ranks with the transport wait as it decides, so policy spin is left out.
std::vector<std::string> message_lines(const std::filesystem::path& run_dir);

}  // namespace plait::report
