// SPDX-License-Identifier: BSD-3-Clause
// Replays a program on a network (LogGOPS) by discrete-event simulation.
#include "replay/replay.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/parallel.hpp"
#include "base/plain_bytes.hpp"
#include "replay/engine.hpp"
#include "replay/parts.hpp"

namespace plait::replay {

ReplayResult replay(Program& program, const Network& network, const ReplayOptions& options) {
  if (std::optional<ReplayResult> result = replay_in_parts(program, network, options)) {
    return *std::move(result);
  }
  prepare(program, options);
  return Engine(program, network, options).run();
}

namespace {

/// The path with all its times multiplied.
Path scaled(Path path, double factor) {
  for (double* const time : {&path.latency_s, &path.overhead_s, &path.gap_s, &path.seconds_per_byte,
                             &path.overhead_per_byte_s}) {
    *time *= factor;
  }
  for (auto& [bytes, seconds] : path.measured) seconds *= factor;
  return path;
}

bool costs_nothing(const Path& path) {
  return path.measured.empty() && path.latency_s + path.overhead_s + path.gap_s <= 0 &&
         path.seconds_per_byte + path.overhead_per_byte_s <= 0;
}

/// The network, and those of the interval.
std::vector<Network> variants_of(const Network& network) {
  std::vector<Network> variants{network};
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  if (network.within_node.eager_limit != kAll || network.between_nodes.eager_limit != kAll) {
    Network& all_eager = variants.emplace_back(network);
    all_eager.within_node.eager_limit = all_eager.between_nodes.eager_limit = kAll;
  }
  // Sharing and progress make no difference when messages take no time.
  if (costs_nothing(network.within_node) && costs_nothing(network.between_nodes)) return variants;
  variants.emplace_back(network).sharing =
      network.sharing == Sharing::fifo ? Sharing::fair : Sharing::fifo;
  variants.emplace_back(network).progress =
      network.progress == Progress::in_call ? Progress::hardware : Progress::in_call;
  for (double Path::*const factor : {&Path::fastest, &Path::slowest}) {
    const Path& within = network.within_node;
    const Path& between = network.between_nodes;
    if (within.*factor == 1 && between.*factor == 1) continue;
    Network& variant = variants.emplace_back(network);
    variant.within_node = scaled(within, within.*factor);
    variant.between_nodes = scaled(between, between.*factor);
  }
  return variants;
}

/// Replays some of the variants, each thread with a program of its own.
/// @param numbers  of the variants
/// @returns their results, in this order
std::vector<ReplayResult> replay_variants(Program& program, const std::vector<Network>& variants,
                                          const std::vector<std::size_t>& numbers,
                                          const ReplayWorkers& workers) {
  std::vector<ReplayResult> results(numbers.size());
  const std::size_t most = workers.threads == 0 ? usable_cpus() : workers.threads;
  const std::size_t threads = workers.another ? std::min(most, numbers.size()) : 1;
  for_each_index(
      threads,
      [&](std::size_t thread) {
        const std::unique_ptr<Program> own = thread == 0 ? nullptr : workers.another();
        Program& of_thread = own ? *own : program;
        for (std::size_t i = thread; i < numbers.size(); i += threads) {
          of_thread.rewind();
          results[i] = replay(of_thread, variants[numbers[i]]);
        }
      },
      workers.threads);
  return results;
}

}  // namespace

ReplayInterval replay_with_interval(Program& program, const Network& network,
                                    const ReplayWorkers& workers) {
  const std::vector<Network> variants = variants_of(network);
  const auto size =
      static_cast<std::size_t>(workers.processes == nullptr ? 1 : workers.processes->size());
  const auto rank =
      static_cast<std::size_t>(workers.processes == nullptr ? 0 : workers.processes->rank());
  std::vector<std::size_t> numbers;
  for (std::size_t i = rank; i < variants.size(); i += size) numbers.push_back(i);
  std::vector<ReplayResult> results = replay_variants(program, variants, numbers, workers);
  std::vector<double> times;
  for (const ReplayResult& result : results) times.push_back(result.time_s);
  if (size > 1) {
    BytesWriter own;
    own(times);
    times.clear();
    for (const std::string& text : workers.processes->exchange(own.take())) {
      std::vector<double> others;
      BytesReader reader(text);
      reader(others);
      times.insert(times.end(), others.begin(), others.end());
    }
  }
  ReplayInterval interval;
  if (rank == 0) interval.middle = std::move(results.front());
  const auto [low, high] = std::ranges::minmax(times);
  interval.low_s = low;
  interval.high_s = high;
  return interval;
}

}  // namespace plait::replay
