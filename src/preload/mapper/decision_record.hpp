// SPDX-License-Identifier: BSD-3-Clause
// Records the decision for each topology, for the run's report.
#pragma once

#include <string>

#include "preload/mapper/topology.hpp"

namespace plait::preload::mapper {

struct DecisionRecord {
  const Topology& topology;
  const mapping::MappingRequest& request;
  const mapping::MappingResult& result;
  double solve_s;  ///< time of the decision, without its communication
};

/// One line of JSON; see docs/explanation/mapping.md. @throws std::bad_alloc
std::string record_line(const DecisionRecord& record);

/// Appends a line to HOST-PID-ID.map next to the run's records (PLAIT_RECORD_SPOOL or
/// PLAIT_RECORDS; nothing without either), after the decision was applied. A process keeps its
/// first 256.
void keep_record(const std::string& line) noexcept;

}  // namespace plait::preload::mapper
