// SPDX-License-Identifier: BSD-3-Clause
// Export formats of traces; docs/reference/export.md describes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/processes.hpp"
#include "export/selection.hpp"
#include "samples/on_trace.hpp"
#include "trace/site_names.hpp"
#include "trace/trace.hpp"

namespace plait::exports {

struct Request {
  const trace::Trace& trace;
  Selection selection;
  std::filesystem::path output;  ///< file or folder, see Format::folder
  bool replace = false;
  std::uint64_t limit_bytes = 0;  ///< for formats that viewers load completely; 0: no limit
  trace::PlaceNames names;        ///< of the trace
  const samples::TracedSamples* samples = nullptr;  ///< null: the run has none with times
  /// That have the other parts of a Trace::is_part; null: the trace is whole. Process 0 writes, and
  /// only it needs `names`, and of `samples` more than the lanes.
  Processes* processes = nullptr;
};

struct Result {
  std::uint64_t bytes = 0;         ///< total size of the files
  std::vector<std::string> notes;  ///< sentences: what the format cannot express
  std::string next;                ///< how to open the result
};

struct Format {
  const char* name;          ///< for --to
  const char* what;          ///< description in one line
  const char* default_name;  ///< default path of the output in the run directory
  bool folder;               ///< the output is a folder
  bool takes_selection;      ///< can represent a part of a trace
  bool takes_samples;        ///< has events for sampled call stacks
  bool takes_parts;          ///< processes that have parts of a trace can write it together
  Result (*write)(const Request&);
};

/// All formats except otf2, which a helper program writes (src/export/otf2).
const std::vector<Format>& formats();

/// Write one format each. Collective if there are processes, which only some formats take.
/// @returns on process 0, what it wrote
/// @throws Error when the output exists and Request::replace is false, it cannot be written, or it
///         would exceed the limit.
Result write_json(const Request& request);
Result write_chrome(const Request& request);
Result write_perfetto(const Request& request);
Result write_parquet(const Request& request);
Result write_simgrid(const Request& request);
Result write_dimemas(const Request& request);

}  // namespace plait::exports
