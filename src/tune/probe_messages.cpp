// SPDX-License-Identifier: BSD-3-Clause
// Messages that a probe sends in place of a program, and their time.
#include "tune/probe_messages.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/statistics.hpp"
#include "measure/probe_output.hpp"
#include "measure/sizes.hpp"

namespace plait::tune {
namespace {

using measure::ProbeStep;
using measure::StepKind;

constexpr std::array<std::pair<const char*, const char*>, 6> kOperations{
    {{"MPI_Bcast", "bcast"},
     {"MPI_Reduce", "reduce"},
     {"MPI_Allreduce", "allreduce"},
     {"MPI_Allgather", "allgather"},
     {"MPI_Alltoall", "alltoall"},
     {"MPI_Barrier", "barrier"}}};

bool is_exchange(const std::string& operation) {
  return operation == kExchange || operation == kRemoteExchange;
}

/// Reductions are of double-precision numbers. A barrier has no size.
std::uint64_t probed_bytes(const ProbeMessage& message) {
  if (message.operation == "MPI_Barrier") return 0;
  const std::uint64_t bytes = std::clamp<std::uint64_t>(message.bytes, 1, measure::kLargestMessage);
  const bool reals = message.operation == "MPI_Reduce" || message.operation == "MPI_Allreduce";
  return reals ? std::max<std::uint64_t>(8, bytes / 8 * 8) : bytes;
}

std::vector<measure::RankPair> pairs_of(const std::string& operation, int ranks) {
  std::vector<measure::RankPair> pairs;
  const int half = ranks / 2;
  for (int i = 0; i < half; ++i) {
    pairs.push_back(operation == kExchange ? measure::RankPair{2 * i, 2 * i + 1}
                                           : measure::RankPair{i, half + i});
  }
  return pairs;
}

ProbeStep step_of(const ProbeMessage& message, int ranks, double seconds) {
  ProbeStep step;
  step.seconds = seconds;
  if (is_exchange(message.operation)) {
    step.pairs = pairs_of(message.operation, ranks);
    step.kind = step.pairs.size() > 1 ? StepKind::multi_pair_pingping : StepKind::pingping;
  } else {
    step.kind = StepKind::collective;
    for (const auto& [name, what] : kOperations) {
      if (message.operation == name) step.what = what;
    }
    for (int rank = 0; rank < std::min(ranks, message.ranks); ++rank) step.ranks.push_back(rank);
  }
  if (message.operation != "MPI_Barrier") step.sizes = {probed_bytes(message)};
  return step;
}

/// In seconds; nothing if it was too short to be timed.
std::optional<double> time_of_cell(const ProbeMessage& message, int ranks,
                                   const measure::ProbeCell& cell) {
  const double value = median(cell.samples);
  const std::size_t pairs = pairs_of(message.operation, ranks).size();
  if (!is_exchange(message.operation) || pairs == 1) return message.calls * value * 1e-6;
  if (value <= 0) return std::nullopt;
  // The bandwidth of one direction, summed over the pairs.
  return message.calls * static_cast<double>(cell.bytes * pairs) / (value * 1e9);
}

}  // namespace

bool can_probe(const std::string& operation) {
  return is_exchange(operation) ||
         std::any_of(kOperations.begin(), kOperations.end(),
                     [&](const auto& known) { return operation == known.first; });
}

measure::ProbePlan probe_plan(const std::vector<ProbeMessage>& messages, int ranks,
                              const std::vector<std::string>& libraries, double seconds) {
  measure::ProbePlan plan;
  plan.libraries = libraries;
  plan.pus.assign(static_cast<std::size_t>(ranks), -1);
  plan.seed = measure::kSeed;
  for (const ProbeMessage& message : messages) {
    plan.steps.push_back(step_of(message, ranks, seconds / static_cast<double>(messages.size())));
  }
  return plan;
}

std::optional<double> probe_time_s(const ProbeMessage& message, int ranks, std::size_t index,
                                   const std::string& output) {
  measure::ProbeOutput read;
  measure::add_probe_output(output, read);
  const auto cell = std::find_if(read.cells.begin(), read.cells.end(),
                                 [&](const measure::ProbeCell& one) { return one.step == index; });
  return cell == read.cells.end() ? std::nullopt : time_of_cell(message, ranks, *cell);
}

std::optional<double> probe_time_s(const std::vector<ProbeMessage>& messages, int ranks,
                                   const std::string& output) {
  double seconds = 0;
  for (std::size_t index = 0; index < messages.size(); ++index) {
    const std::optional<double> one = probe_time_s(messages[index], ranks, index, output);
    if (!one) return std::nullopt;
    seconds += *one;
  }
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace plait::tune
