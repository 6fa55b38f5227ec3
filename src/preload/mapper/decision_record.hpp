// SPDX-License-Identifier: BSD-3-Clause
// Keeps what was decided for each topology, for the run's report.
#pragma once

#include "preload/mapper/decide.hpp"

namespace plait::preload::mapper {

struct DecisionRecord {
  const Topology& topology;
  const map::MappingRequest& request;
  const map::MappingResult& result;
  double solve_s;  ///< that the decision took, without its communication
};

/// Appends one line of JSON to HOST-PID.map beside the run's records (PLAIT_RECORD_SPOOL or
/// PLAIT_RECORDS; nothing without either); see docs/mapping.md. A process keeps its first 256.
void keep_record(const DecisionRecord& record);

}  // namespace plait::preload::mapper
