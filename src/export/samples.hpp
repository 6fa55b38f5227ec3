// SPDX-License-Identifier: BSD-3-Clause
// Export formats of sampled call stacks; docs/reference/export.md describes them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "export/export.hpp"
#include "samples/call_tree.hpp"

namespace plait::exports {

struct SampleRequest {
  const samples::CallTree& tree;
  std::vector<bool> ranks;       ///< to export; empty: all
  std::filesystem::path output;  ///< a file
  bool replace = false;
};

struct SampleFormat {
  const char* name;          ///< for --to
  const char* what;          ///< description in one line
  const char* default_name;  ///< default path of the output in the run directory
  Result (*write)(const SampleRequest&);
};

const std::vector<SampleFormat>& sample_formats();

/// The nodes of a stack, the innermost first.
std::vector<int> stack_of(const samples::CallTree& tree, int node);

/// A stack as "element (mesh.cpp:21) < assemble (mesh.cpp:62) < main (app.cpp:5)".
std::string stack_text(const samples::CallTree& tree, int node);

/// True if a sample of a trace is exported: it is in the window, and not before the begin of the
/// trace (in MPI_Init).
bool is_exported(const Selection& selection, const samples::PlacedSample& of);

/// True if the thread's rank is exported.
bool is_exported(const SampleRequest& request, int thread);

/// The frame below which a thread waited for a CPU, in formats without states.
inline constexpr const char* kWaitingFrame = "(waiting for a CPU)";

/// Write one format each.
/// @throws Error when the output exists and SampleRequest::replace is false, or it cannot be
///         written.
Result write_folded(const SampleRequest& request);
Result write_speedscope(const SampleRequest& request);
Result write_pprof(const SampleRequest& request);

}  // namespace plait::exports
