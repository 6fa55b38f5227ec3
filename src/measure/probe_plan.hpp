// SPDX-License-Identifier: BSD-3-Clause
// What the MPI probe shall do: written by plait, read by every rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plait::measure {

/// What one step of the probe measures.
enum class StepKind {
  pingpong,
  pingping,
  pingpong_off_cache,
  multi_pair,
  multi_pair_pingping,
  overhead,      ///< what a message costs its sender and its receiver
  back_to_back,  ///< messages in a row, one answer
  eager,         ///< whether a message leaves its sender before its receive is posted: 1 or 0
  overlap,       ///< a message beside work (Stengel 2010, listing 3.1)
  mixed,         ///< a message in the node beside one between nodes (listing 3.2)
  collective
};

std::string name_of(StepKind kind);

/// Two ranks; the first leads.
struct RankPair {
  int leader = 0;
  int follower = 1;
  friend bool operator==(const RankPair&, const RankPair&) = default;
};

/// One measurement between one pair, several pairs at once, or a group of ranks; the other ranks
/// sleep meanwhile.
struct ProbeStep {
  StepKind kind = StepKind::pingpong;
  double seconds = 1;           ///< time budget
  std::vector<RankPair> pairs;  ///< overlap: the leader computes; mixed: in the node, between nodes
  std::vector<int> ranks = {};  ///< of a collective, in this order
  std::string what = {};        ///< overlap: "isend-memory"; a collective's name; else empty
  std::vector<std::uint64_t> sizes = {};  ///< empty: the kind's own
  friend bool operator==(const ProbeStep&, const ProbeStep&) = default;
};

/// The ranks that take part in a step, each once; the first leads.
std::vector<int> members_of(const ProbeStep& step);

/// The whole plan.
struct ProbePlan {
  std::vector<std::string> libraries;  ///< MPI libraries to try, in this order
  std::vector<int> pus;                ///< hardware thread of each rank; -1: say what is allowed
  std::vector<std::string> hosts;      ///< node of each rank; empty: whatever the launcher chose
  bool poll = false;                   ///< a thread of the probe tests messages beside the work
  double limit_s = 0;                  ///< after which a rank ends itself; 0: by its steps
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
