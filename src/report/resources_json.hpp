// SPDX-License-Identifier: BSD-3-Clause
// JSON of counters, memory and files.
#pragma once

#include "base/json.hpp"
#include "report/optional_json.hpp"
#include "report/resources.hpp"

namespace plait::report {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CounterEventRow, name, threads, failures, problem, user_only,
                                   counted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CounterRow, rank, thread, tid, region, outside_s, inside_s,
                                   outside, inside)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CounterRegionRow, region, ranks, outside_s, inside_s, outside,
                                   inside)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DerivedFigure, id, region, name, value, unit, bound, bound_name)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counters, events, regions, threads, derived, left_out, readings,
                                   reading_ns, overhead)

}  // namespace plait::report
