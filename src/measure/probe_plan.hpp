// SPDX-License-Identifier: BSD-3-Clause
// What the MPI probe shall do: written by plait, read by every rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plait::measure {

/// What one step of the probe measures.
enum class StepKind { pingpong, pingping, pingpong_off_cache, multi_pair };

std::string name_of(StepKind kind);

/// Two ranks; the first leads.
struct RankPair {
  int leader = 0;
  int follower = 1;
  friend bool operator==(const RankPair&, const RankPair&) = default;
};

/// One measurement between one pair, or several pairs at once; the other ranks sleep meanwhile.
struct ProbeStep {
  StepKind kind = StepKind::pingpong;
  double seconds = 1;  ///< time budget
  std::vector<RankPair> pairs;
  friend bool operator==(const ProbeStep&, const ProbeStep&) = default;
};

/// The whole plan.
struct ProbePlan {
  std::vector<std::string> libraries;  ///< MPI libraries to try, in this order
  std::vector<int> pus;                ///< hardware thread of each rank
  std::uint32_t seed = 0;
  double relative_width = 0.1;  ///< of the interval at which repetition ends
  int max_rounds = 50;
  std::uint64_t off_cache_bytes = 0;  ///< size of a rotating buffer
  std::vector<ProbeStep> steps;
  friend bool operator==(const ProbePlan&, const ProbePlan&) = default;
};

/// The plan as text, one item a line.
std::string format_plan(const ProbePlan& plan);

/// Reads what format_plan wrote.
/// @throws Error when the text is damaged or a pair names a rank that has no hardware thread.
ProbePlan parse_plan(const std::string& text);

}  // namespace plait::measure
