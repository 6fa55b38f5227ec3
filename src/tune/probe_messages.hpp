// SPDX-License-Identifier: BSD-3-Clause
// Messages that a probe sends in place of a program, and their time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/probe_plan.hpp"

namespace plait::tune {

/// Messages between neighbours, in ProbeMessage::operation; other operations are MPI functions.
inline constexpr const char* kExchange = "exchange";
/// The same between the two halves of the ranks, which are on other nodes.
inline constexpr const char* kRemoteExchange = "remote exchange";

/// Equal messages or calls of a program.
struct ProbeMessage {
  std::string operation;
  int ranks = 0;            ///< of the communicator
  std::uint64_t bytes = 0;  ///< of a message; of a collective operation to one partner
  double calls = 1;         ///< how many of them count
  bool operator==(const ProbeMessage&) const = default;
};

/// True if the probe has this operation.
bool can_probe(const std::string& operation);

/// A plan of the probe that sends these messages; rank 0 leads each step.
/// @param ranks    of the job
/// @param seconds  for all messages
measure::ProbePlan probe_plan(const std::vector<ProbeMessage>& messages, int ranks,
                              const std::vector<std::string>& libraries, double seconds);

/// The time of the calls of the message at `index` in the plan, as below.
std::optional<double> probe_time_s(const ProbeMessage& message, int ranks, std::size_t index,
                                   const std::string& output);

/// The time of all calls by what the probe printed, in seconds; nothing if a message was not timed.
std::optional<double> probe_time_s(const std::vector<ProbeMessage>& messages, int ranks,
                                   const std::string& output);

}  // namespace plait::tune
