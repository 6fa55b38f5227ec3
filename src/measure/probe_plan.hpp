// SPDX-License-Identifier: BSD-3-Clause
// The plan of the MPI probe: written by plait, read by every rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plait::measure {

/// The kind of measurement of a step of the probe.
enum class StepKind {
  pingpong,
  pingping,
  pingpong_off_cache,
  multi_pair,
  multi_pair_pingping,
  overhead,      ///< the CPU time of a message on both sides
  back_to_back,  ///< consecutive messages, one answer
  eager,         ///< 1 if a send completes before its receive is posted, else 0
  overlap,       ///< a message during work (Stengel 2010, listing 3.1)
  mixed,         ///< messages inside a node and between nodes at once (listing 3.2)
  collective
};

/// The name of a kind in the plan: "pingpong", "back_to_back".
std::string name_of(StepKind kind);

/// Two ranks; the first leads.
struct RankPair {
  int leader = 0;
  int follower = 1;
  friend bool operator==(const RankPair&, const RankPair&) = default;
};

/// One measurement of a pair, several pairs at once, or a group of ranks, while the other ranks
/// sleep.
struct ProbeStep {
  StepKind kind = StepKind::pingpong;
  double seconds = 1;           ///< time budget
  std::vector<RankPair> pairs;  ///< overlap: the leader computes; mixed: {inside, between nodes}
  std::vector<int> ranks = {};  ///< of a collective, in this order
  std::string what = {};        ///< overlap: "isend-memory"; collective: its name; else empty
  std::vector<std::uint64_t> sizes = {};  ///< empty: the default of the kind
  std::uint64_t inside_bytes = 0;         ///< mixed: of the message inside the node
  friend bool operator==(const ProbeStep&, const ProbeStep&) = default;
};

/// The ranks that take part in a step, without duplicates; the first leads.
std::vector<int> members_of(const ProbeStep& step);

/// The largest message that a step names; 0 if it has only the sizes of its kind.
std::uint64_t largest_message(const ProbeStep& step);

/// The whole plan.
struct ProbePlan {
  std::vector<std::string> libraries;  ///< MPI libraries to try, in this order
  std::vector<int> pus;                ///< hardware thread of each rank; -1: report its place
  std::vector<std::string> hosts;      ///< node of each rank; empty: as the launcher chose
  bool poll = false;                   ///< a thread of the probe tests messages during work
  double limit_s = 0;                  ///< after which a rank exits; 0: derived from the steps
  std::uint32_t seed = 0;
  double relative_width = 0.1;  ///< interval width at which repetition ends
  int max_rounds = 50;
  std::uint64_t off_cache_bytes = 0;   ///< size of a buffer larger than the cache
  std::vector<std::string> variables;  ///< of the MPI library: the first rank reports their values
  std::vector<ProbeStep> steps;
  friend bool operator==(const ProbePlan&, const ProbePlan&) = default;
};

/// The plan as text, one item per line.
std::string format_plan(const ProbePlan& plan);

/// Parses the output of format_plan.
/// @throws Error when the text is damaged or a step has a rank that does not exist.
ProbePlan parse_plan(const std::string& text);

}  // namespace plait::measure
