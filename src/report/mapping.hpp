// SPDX-License-Identifier: BSD-3-Clause
// A mapping of processes to nodes as text and JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "mapping/gain.hpp"
#include "mapping/mapping.hpp"
#include "report/terminal.hpp"

namespace plait::report {

/// A chosen mapping with its inputs and alternatives.
struct MappingReport {
  std::string input;                 ///< "grid 4x4x2, open, faces of 64 KiB"
  std::string nodes;                 ///< "4 nodes of 8 slots"
  std::vector<std::string> part_of;  ///< name of each process' part of the job; empty: one part
  mapping::MappingRequest request;
  mapping::MappingResult result;
  mapping::Gain gain;
  mapping::CostsRange costs;
  /// Bytes of a weight of 1, the unit in which J = sum of weight x distance is printed.
  double unit_bytes = 1;
  std::vector<std::string> notes;
  std::vector<std::string> written;  ///< files
  std::string command;               ///< starts the program with this mapping; empty: not requested
  std::string next;                  ///< the next useful command; may be empty
};

/// One or two sentences: pairs between nodes before and after with the predicted gain and its
/// interval, or that there is nothing to gain.
std::string mapping_verdict(const MappingReport& report);

/// Verdict, inputs, the portfolio's candidates, ranks by node; at most 80 columns.
std::vector<std::string> mapping_lines(const MappingReport& report, const TerminalOptions& options);

/// As JSON: schema "plait-map", version 1 (docs/schemas/map-1.schema.json).
nlohmann::json mapping_to_json(const MappingReport& report);

}  // namespace plait::report
