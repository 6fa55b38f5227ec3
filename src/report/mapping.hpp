// SPDX-License-Identifier: BSD-3-Clause
// A mapping of processes to nodes: the verdict, tables for the terminal, JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "map/gain.hpp"
#include "map/mapping.hpp"
#include "map/subgrid.hpp"
#include "report/terminal.hpp"

namespace plait::report {

/// A chosen mapping with what it was chosen from.
struct MappingReport {
  std::string input;  ///< "grid 4x4x2, open, faces of 64 KiB"
  std::string nodes;  ///< "4 nodes of 8 slots"
  map::MappingRequest request;
  map::MappingResult result;
  map::Gain gain;
  map::CostsRange costs;
  /// Bytes of a weight of 1: by it J = sum of weight x distance is printed.
  double unit_bytes = 1;
  std::vector<std::string> notes;
  std::vector<std::string> written;  ///< files
  std::string command;               ///< that starts the program so; empty: none was asked for
  std::string next;                  ///< the next useful command; may be empty
};

/// One or two sentences: pairs between nodes now and then, and the predicted gain with its
/// interval; or that there is nothing to gain, with the same numbers.
std::string mapping_verdict(const MappingReport& report);

/// Verdict, inputs, the portfolio's candidates, ranks by node; at most 80 columns.
std::vector<std::string> mapping_lines(const MappingReport& report, const TerminalOptions& options);

/// As JSON: schema "plait-map", version 1 (docs/schemas/map-1.schema.json).
nlohmann::json mapping_to_json(const MappingReport& report);

/// Stengel's figure 3.3: what blocks of subdomains spare over sticks, by cores a node.
std::vector<std::string> subgrid_lines(const std::vector<map::SubgridSurface>& surfaces,
                                       const TerminalOptions& options);
/// As JSON: schema "plait-map", version 1, with "figure".
nlohmann::json subgrid_to_json(const std::vector<map::SubgridSurface>& surfaces);

}  // namespace plait::report
