// SPDX-License-Identifier: BSD-3-Clause
// The formats in which a trace can be exported; docs/export.md describes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "export/selection.hpp"
#include "trace/trace.hpp"

namespace plait::exports {

struct Request {
  const trace::Trace& trace;
  Selection selection;
  std::filesystem::path output;  ///< file or folder, see Format::folder
  bool replace = false;
  std::uint64_t limit_bytes = 0;  ///< of formats that viewers load as a whole; 0: none
};

struct Result {
  std::uint64_t bytes = 0;         ///< written, all files
  std::vector<std::string> notes;  ///< one sentence each: what the format cannot say
  std::string next;                ///< a command that opens it, or where to open it
};

struct Format {
  const char* name;          ///< as --to takes it
  const char* what;          ///< one line
  const char* default_name;  ///< of the output, in the run directory
  bool folder;
  bool takes_selection;  ///< a part of the trace makes sense in it
  Result (*write)(const Request&);
};

/// All but otf2, which a helper program writes (src/export/otf2).
const std::vector<Format>& formats();

/// Each writes one format.
/// @throws Error when the output is there and may not be replaced, cannot be written, or would be
/// larger than the limit.
Result write_json(const Request& request);
Result write_chrome(const Request& request);
Result write_perfetto(const Request& request);
Result write_parquet(const Request& request);
Result write_simgrid(const Request& request);
Result write_dimemas(const Request& request);

}  // namespace plait::exports
