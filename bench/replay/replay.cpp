// SPDX-License-Identifier: BSD-3-Clause
// The events per second of the replay engine on one core, and the time and memory for ten halo
// exchanges of 131072 ranks.
#include "replay/replay.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "plait/error.hpp"
#include "replay/layout_text.hpp"

namespace {

using namespace plait::replay;

constexpr double kEventsTarget = 2e6;
constexpr double kLargeTarget_s = 30;
constexpr double kMemoryTarget_mb = 200;
constexpr int kRepetitions = 3;

/// The 16 ranks of a node share a card; messages are long enough for a rendezvous.
constexpr const char* kNetwork =
    "latency=2us,bandwidth=10GB/s,gap=100ns,overhead=200ns,eager=64KiB,progress=in-call,"
    "node.latency=500ns";
constexpr const char* kSmall = "halo,ranks=4096,nodes=256,compute=1ms,faces=112.5KiB,iterations=50";
constexpr const char* kLarge = "halo,ranks=131072,nodes=8192,compute=1ms,faces=32KiB,iterations=10";

double seconds_of(Program& program, const Network& network, ReplayResult& result) {
  const auto begin = std::chrono::steady_clock::now();
  result = replay(program, network);
  if (!result.stuck.empty()) throw plait::Error("the benchmark", "a rank is stuck", "");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Events per second, the best of several repetitions because noise only slows down.
double speed(const char* name, const char* of, const Network& network) {
  const auto program = halo_program(parse_halo(of));
  ReplayResult result;
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    best = std::min(best, seconds_of(*program, network, result));
  }
  const double rate = static_cast<double>(result.events) / best;
  fmt::print("{:<34} {:>10} events  {:>7.3f} s  {:>6.2f} M events/s\n", name, result.events, best,
             rate * 1e-6);
  return rate;
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024e-6;
}

}  // namespace

int main() {
  try {
    const Network network = open_network(kNetwork);
    ReplayResult result;
    // First, because the memory peak is that of the whole process.
    const auto program = halo_program(parse_halo(kLarge));
    const double large_s = seconds_of(*program, network, result);
    const double memory_mb = peak_mb();
    fmt::print(
        "131072 ranks, 10 iterations: {} events, {} messages in {:.2f} s (target {} s), "
        "{:.0f} MB (target {} MB)\n",
        result.events, result.messages, large_s, kLargeTarget_s, memory_mb, kMemoryTarget_mb);
    const double rate = speed("4096 ranks, cards, rendezvous", kSmall, network);
    Network fair = network;
    fair.sharing = Sharing::fair;
    speed("4096 ranks, fair cards", kSmall, fair);
    speed("4096 ranks, ideal network", kSmall, ideal_network());
    fmt::print("RESULT replay_events_per_s {:.3g} 1/s (at least {:.0e})\n", rate, kEventsTarget);
    fmt::print("RESULT replay_131072_s {:.2f} s (at most {})\n", large_s, kLargeTarget_s);
    fmt::print("RESULT replay_131072_mb {:.0f} MB (at most {})\n", memory_mb, kMemoryTarget_mb);
  } catch (const plait::Error& error) {
    fmt::print(stderr, "bench replay: {}\n", error.what());
    return 1;
  }
  return 0;
}
