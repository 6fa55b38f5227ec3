// SPDX-License-Identifier: BSD-3-Clause
// The times of CG and HPL in three models: pure MPI, and hybrid without and with overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "model/hybrid_inputs.hpp"
#include "model/hybrid_programs.hpp"
#include "report/viet_studies.hpp"

namespace plait::report {

/// Measured times of the solver, medians in seconds.
struct MeasuredHybrid {
  double mpi_s = 0, pc_s = 0, tc_s = 0;
  double pc_messages_s = 0;  ///< of pc in messages, T_m; 0: unknown
};

/// One case and its prediction.
struct HybridRow {
  std::string part;       ///< of a study; empty: none
  std::int64_t size = 0;  ///< order of the matrix
  double flops = 0;       ///< as the benchmark counts them
  model::HybridCase of;
  model::HybridPrediction time;
  model::ThreeBandwidths bandwidths;  ///< at the size of MPI's messages
  double speed_beside = 0;            ///< P(n - 1) / P(n): speed of a node beside a communication
  std::optional<PaperResult> paper;
  std::optional<MeasuredHybrid> measured;
};

/// A prediction for several cases.
struct HybridReport {
  std::string program;  ///< "cg", "hpl"
  std::string problem;  ///< "class B", "N 20000, NB 80"
  std::string machine;
  model::SpeedTable speed;   ///< flop/s by cores
  std::string speed_source;  ///< "STREAM, of which 85 % (70 to 100 %) are reached"
  std::string study;         ///< "figure 4: ..."; empty: none
  bool differences = false;  ///< the study is about differences
  std::vector<HybridRow> rows;
  std::string measured_on;  ///< "2 emulated nodes of 1 core, ..."; empty: nothing was measured
  std::vector<std::string> notes;  ///< limits of the prediction, and advice, as sentences
  std::string result;              ///< path of the JSON file; empty: none
};

/// The gain of TC over PC that equation 7 expects from the measured T_m of PC, if all of T_m
/// overlaps, or all other time. With one core per node, equation 7 says nothing; but messages may
/// then travel while the core computes, so that the gain is at most T_m. Zeros without measurement.
struct ExpectedGain {
  double low_s = 0, high_s = 0;
};
ExpectedGain equation_7(const HybridRow& row);

/// The fastest model of the last case, and why pure MPI is slower or faster than PC: factors 1 to 4
/// of section 4.3.
std::string hybrid_verdict(const HybridReport& report);

/// Verdict, tables and notes; at most 80 columns.
std::vector<std::string> hybrid_lines(const HybridReport& report);

/// As JSON: schema "plait-predict-hybrid", version 1.
nlohmann::json hybrid_to_json(const HybridReport& report);

/// For runs of HPL on this many nodes: whether one more or one less would send less, and the grid
/// on which the busiest node sends least. One sentence each.
std::vector<std::string> hpl_advice(int nodes, int cores);

}  // namespace plait::report
