// SPDX-License-Identifier: BSD-3-Clause
// Keeps what was decided for each topology, for the run's report.
#pragma once

#include <string>

#include "preload/mapper/decide.hpp"

namespace plait::preload::mapper {

struct DecisionRecord {
  const Topology& topology;
  const map::MappingRequest& request;
  const map::MappingResult& result;
  double solve_s;  ///< that the decision took, without its communication
};

/// One line of JSON; see docs/mapping.md. @throws std::bad_alloc
std::string record_line(const DecisionRecord& record);

/// Appends a line to HOST-PID.map beside the run's records (PLAIT_RECORD_SPOOL or PLAIT_RECORDS;
/// nothing without either), once it has become true. A process keeps its first 256.
void keep_record(const std::string& line) noexcept;

}  // namespace plait::preload::mapper
