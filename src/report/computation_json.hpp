// SPDX-License-Identifier: BSD-3-Clause
// JSON of the figures of samples: the field "computation" of profile.json.
#pragma once

#include "base/json.hpp"
#include "report/optional_json.hpp"
#include "report/profile.hpp"

namespace plait::report {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FunctionPlace, function, file, line, module)

// Like NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE, for a type whose place is not an object of its own in
// the schema.
#define PLAIT_DEFINE_PLACED_JSON(Type, ...)                                             \
  inline void to_json(nlohmann::json& nlohmann_json_j, const Type& nlohmann_json_t) {   \
    nlohmann_json_j = nlohmann_json_t.place;                                            \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))            \
  }                                                                                     \
  inline void from_json(const nlohmann::json& nlohmann_json_j, Type& nlohmann_json_t) { \
    nlohmann_json_j.get_to(nlohmann_json_t.place);                                      \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__))          \
  }

PLAIT_DEFINE_PLACED_JSON(HotSpotRow, share, low, high, time_s, ranks_share, worst_rank, worst_ratio,
                         worst_thread, explains_imbalance)
PLAIT_DEFINE_PLACED_JSON(DifferenceRow, rank, rank_s, mean_s, ratio, explains)
PLAIT_DEFINE_PLACED_JSON(SerialRow, share, low, high, time_s, inside)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Computation, rate_hz, clock, samples, code_share, mpi_share,
                                   openmp_share, waiting_share, lost, truncated, sample_us,
                                   overhead_percent, hot_spots, difference, serial)

#undef PLAIT_DEFINE_PLACED_JSON

}  // namespace plait::report
