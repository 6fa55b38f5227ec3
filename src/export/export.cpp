// SPDX-License-Identifier: BSD-3-Clause
// Lists the formats.
#include "export/export.hpp"

namespace plait::exports {

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {"perfetto", "protobuf trace for ui.perfetto.dev", "export/trace.pftrace", false, true, true,
       true, write_perfetto},
      {"chrome", "JSON for chrome://tracing and Speedscope", "export/chrome.json", false, true,
       true, false, write_chrome},
      {"parquet", "tables of events and messages for pandas, DuckDB, Polars", "export/parquet",
       true, true, false, true, write_parquet},
      {"json", "the whole trace as one documented JSON file", "export/trace.json", false, true,
       false, true, write_json},
      {"simgrid", "time-independent trace for smpirun -replay", "export/simgrid", true, false,
       false, true, write_simgrid},
      {"dimemas", "trace for Dimemas", "export/trace.dim", false, false, false, true,
       write_dimemas},
  };
  return all;
}

}  // namespace plait::exports
