// SPDX-License-Identifier: BSD-3-Clause
// Chooses the transport of a transpose by measuring all of them on scratch arrays.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "plait/environment.hpp"
#include "solve/automatic/calibration.hpp"
#include "solve/transpose/state.hpp"

namespace plait::solve {
namespace {

/// Scratch arrays beyond this size are measured with one field only.
constexpr std::int64_t largest_scratch_bytes = std::int64_t{64} << 20U;

constexpr int fewest_rounds = 5;
constexpr int most_rounds = 20;
constexpr double wanted_s = 0.1;  ///< duration of all rounds of a transport

/// The bytes of the largest part of a rank, at most.
std::int64_t scratch_bytes(const TransposeShape& shape, int ranks) {
  double bytes = static_cast<double>(shape.element_bytes) * shape.fields / ranks;
  for (const std::int64_t extent : shape.extents) bytes *= static_cast<double>(extent);
  constexpr double most = 9e18;
  return static_cast<std::int64_t>(std::min(bytes, most));
}

struct Candidate {
  TransposeTransport kind;
  std::unique_ptr<Transpose> plan{};
  std::vector<const void*> from{};
  std::vector<double> times_s{};
};

/// A plan with this transport; null if it cannot run here. Collective.
std::unique_ptr<Transpose> plan_with(MPI_Comm comm, const TransposeShape& shape,
                                     Transpose::Options options, TransposeTransport kind) {
  options.transport = kind;
  options.chunks = 1;
  options.buffers_of = nullptr;
  try {
    return std::make_unique<Transpose>(comm, shape, options);
  } catch (const CollectiveError&) {
    return nullptr;
  }
}

double timed(Transpose& plan, const std::vector<const void*>& from, const std::vector<void*>& to) {
  const auto begin = std::chrono::steady_clock::now();
  plan.transpose(from, to);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TransposeTransport fastest_transport(MPI_Comm comm, const TransposeShape& shape,
                                     const Transpose::Options& options) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  if (size == 1) return TransposeTransport::alltoallv;  // nothing travels
  TransposeShape scratch = shape;
  if (scratch_bytes(shape, size) > largest_scratch_bytes) scratch.fields = 1;
  std::vector<Candidate> candidates;
  for (const auto kind : {TransposeTransport::alltoallw, TransposeTransport::point_to_point,
                          TransposeTransport::shared_memory, TransposeTransport::alltoallv}) {
    Candidate candidate{kind, plan_with(comm, scratch, options, kind)};
    if (candidate.plan) candidates.push_back(std::move(candidate));
  }
  // Sources in memory that is not the window's: those of the last candidate, which has none.
  std::vector<std::vector<std::byte>> memory;
  std::vector<void*> to;
  for (int f = 0; f < scratch.fields; ++f) {
    const auto bytes = static_cast<std::size_t>(candidates[0].plan->destination().elements) *
                       scratch.element_bytes;
    memory.emplace_back(std::max<std::size_t>(1, bytes));
    to.push_back(memory.back().data());
  }
  for (Candidate& candidate : candidates) {
    Transpose& owner = options.in_source_memory ? *candidate.plan : *candidates.back().plan;
    for (int f = 0; f < scratch.fields; ++f) candidate.from.push_back(owner.source_memory(f));
  }
  // The first round touches the memory, the second one says how many follow.
  double longest_s = 0;
  for (const bool touches : {true, false}) {
    for (Candidate& candidate : candidates) {
      const double s = timed(*candidate.plan, candidate.from, to);
      if (!touches) longest_s = std::max(longest_s, s);
    }
  }
  largest_of_ranks(comm, std::span(&longest_s, 1));
  const int rounds = std::clamp(static_cast<int>(wanted_s / std::max(longest_s, 1e-9)),
                                fewest_rounds, most_rounds);
  for (int round = 0; round < rounds; ++round) {
    for (Candidate& candidate : candidates) {
      candidate.times_s.push_back(timed(*candidate.plan, candidate.from, to));
    }
  }
  auto fastest = TransposeTransport::alltoallv;
  double least_s = std::numeric_limits<double>::infinity();
  for (Candidate& candidate : candidates) {
    largest_of_ranks(comm, candidate.times_s);
    const double s = *std::ranges::min_element(candidate.times_s);
    if (s >= least_s) continue;
    least_s = s;
    fastest = candidate.kind;
  }
  return fastest;
}

}  // namespace plait::solve
