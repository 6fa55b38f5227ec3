// SPDX-License-Identifier: BSD-3-Clause
// The cost of recording an MPI call in a profile, and in a trace, which includes a profile.
//
// The order of runs in a round (no tool, profile, trace) rotates, so that a change of the machine's
// speed affects all. The figure of a run is the smallest of its blocks, because noise only adds.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/subprocess.hpp"
#include "plait/error.hpp"
#include "preload/recorder.hpp"

namespace {

struct Case {
  std::string kind, launcher, program, object;
};

const std::vector<Case> cases = {
#include "cases.inc"
};

/// Smallest ns per call, by the name of the call.
using Figures = std::map<std::string, double>;

std::filesystem::path scratch_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "plait-overhead-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    throw plait::Error("the benchmark", "cannot create a folder for records", "set TMPDIR");
  return pattern;
}

enum Mode : std::size_t { kNone, kProfile, kTrace };
constexpr std::size_t kModes = 3;

Figures run(const Case& which, int ranks, Mode mode, const std::filesystem::path& records) {
  // Each run starts when the disk has written everything of the previous run.
  std::filesystem::remove_all(records);
  std::filesystem::create_directory(records);
  std::vector<std::string> command{which.launcher, "-n", std::to_string(ranks)};
  command.insert(command.end(), {which.kind == "openmpi" ? "--bind-to" : "-bind-to", "core"});
  std::vector<std::pair<std::string, std::string>> environment{
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},     {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"PRTE_ALLOW_RUN_AS_ROOT", "1"},     {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"PLAIT_RECORDS", records.string()}, {"PLAIT_OPTIONS", mode == kTrace ? "trace" : ""}};
  if (mode != kNone) {
    command.insert(command.end(), {"env", "LD_PRELOAD=" + which.object});
  }
  command.push_back(which.program);
  const auto result = plait::run_command(command, std::chrono::seconds(60), {}, environment);
  if (result.exit_code != 0)
    throw plait::Error(which.program, "the measured program failed", result.err);
  Figures figures;
  std::istringstream lines(result.out);
  std::string name;
  for (double median = 0, minimum = 0; lines >> name >> median >> minimum;) figures[name] = minimum;
  return figures;
}

/// The speed of consecutive writes of 256 KiB to a new file, best of many.
double write_speed_gbs(const std::filesystem::path& folder) {
  constexpr int kPieces = 64;
  const std::vector<char> piece(256 << 10, 'x');
  const auto path = folder / "written";
  double best_s = 1;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) throw plait::Error(path.string(), "cannot be written", "set TMPDIR");
  std::setvbuf(file, nullptr, _IONBF, 0);
  for (int i = 0; i < kPieces; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    std::fwrite(piece.data(), 1, piece.size(), file);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    best_s = std::min(best_s, taken.count());
  }
  std::fclose(file);
  return static_cast<double>(piece.size()) / best_s * 1e-9;
}

/// The time of the two clock readings of every recorded call in ns, the smallest of many blocks.
double two_readings_ns() {
  constexpr int kBlocks = 64;
  constexpr int kReadings = 10000;
  double best_s = 1;
  for (int block = 0; block < kBlocks; ++block) {
    std::uint64_t sum = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kReadings; ++i) sum += plait::preload::now_ticks();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (sum != 0) best_s = std::min(best_s, taken.count());
  }
  return 2e9 * best_s / kReadings;
}

/// Median with its 95 % interval by the binomial distribution (normal approximation of the ranks;
/// Hahn and Meeker 1991, section 5.2), and the minimum.
struct Summary {
  double minimum = 0, median = 0, low = 0, high = 0;
};

Summary summarize(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  const auto at = [&](double rank) {
    return sample[static_cast<std::size_t>(std::clamp(rank, 0.0, n - 1))];
  };
  const double half_width = 1.96 * std::sqrt(n) / 2;
  return {sample.front(), at(n / 2), at(n / 2 - half_width), at(n / 2 + half_width)};
}

/// Results by mode; `added` is the difference to no tool.
struct Samples {
  std::array<std::vector<double>, kModes> cost, added;
};

std::map<std::string, Samples> measure(const Case& which, int rounds,
                                       const std::filesystem::path& records) {
  std::map<std::string, Samples> samples;
  for (int round = 0; round < rounds; ++round) {
    for (const int ranks : {1, 2}) {
      std::array<Figures, kModes> of_mode;
      for (std::size_t i = 0; i < kModes; ++i) {
        const auto mode = static_cast<Mode>((i + static_cast<std::size_t>(round)) % kModes);
        of_mode[mode] = run(which, ranks, mode, records);
      }
      for (const auto& [name, plain] : of_mode[kNone]) {
        for (std::size_t mode = 0; mode < kModes; ++mode) {
          const double cost = of_mode[mode].at(name);
          samples[name].cost[mode].push_back(cost);
          samples[name].added[mode].push_back(cost - plain);
        }
      }
    }
  }
  return samples;
}

void print_row(const std::string& name, const Samples& samples) {
  const Summary none = summarize(samples.cost[kNone]), profile = summarize(samples.added[kProfile]),
                trace = summarize(samples.added[kTrace]);
  fmt::print("  {:<36} {:>7.1f} {:>8.1f} [{:>5.1f}, {:>5.1f}] {:>8.1f} [{:>5.1f}, {:>5.1f}]\n",
             name, none.median, profile.median, profile.low, profile.high, trace.median, trace.low,
             trace.high);
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  if (cases.empty())
    throw plait::Error("the benchmark", "no MPI was found at configure time",
                       "install Open MPI or MPICH and configure again");
  const auto records = scratch_folder();
  Summary none, profile, trace;
  fmt::print(
      "Cost of recording MPI calls, ns; {} rounds, smallest of 21 blocks each; 95 % intervals\n",
      rounds);
  for (const Case& which : cases) {
    const auto samples = measure(which, rounds, records);
    fmt::print("\n{:<38} {:>7} {:>23} {:>23}\n", which.kind, "none", "profile adds", "trace adds");
    print_row("MPI_Send, 8 bytes to MPI_PROC_NULL", samples.at("send"));
    print_row("MPI_Isend + MPI_Wait (two calls)", samples.at("isend_wait"));
    if (samples.count("round_trip")) print_row("ping-pong (four calls)", samples.at("round_trip"));
    if (which.kind == "openmpi" || trace.median == 0) {
      const Samples& sends = samples.at("send");
      none = summarize(sends.cost[kNone]);
      profile = summarize(sends.added[kProfile]);
      trace = summarize(sends.added[kTrace]);
    }
  }
  const double write_gbs = write_speed_gbs(records);
  std::filesystem::remove_all(records);
  fmt::print(
      "\nFor comparison, not measured here: on one 2-core virtual machine the same MPI_Send cost\n"
      "58 ns more with IPM 2.0.6, 66 with DLB's TALP, 78 with mpiP without call sites, and 154\n"
      "with EZTrace 2.0 (Open MPI 4.1.4, smallest of several runs).\n\n");
  const double readings_ns = two_readings_ns();
  fmt::print(
      "An 8-byte MPI_Send to MPI_PROC_NULL takes {:.1f} ns. A profile adds {:.1f} ns, a trace "
      "with\n"
      "profile and call path {:.1f} ns. Lower bounds: a tool that times a call reads the clock\n"
      "twice, which takes {:.1f} ns on this processor. A trace adds {:.1f} ns to a profile, of\n"
      "which {:.1f} ns are the time to write the 12 bytes of an event to the page cache\n"
      "({:.1f} GB/s).\n\n",
      none.median, profile.median, trace.median, readings_ns, trace.median - profile.median,
      12 / write_gbs, write_gbs);
  fmt::print("RESULT clock_readings_ns {:.1f} ns\n", readings_ns);
  fmt::print("RESULT profile_overhead_ns {:.1f} ns\n", profile.median);
  fmt::print("RESULT trace_overhead_ns {:.1f} ns\n", trace.median);
  return 0;
} catch (const plait::Error& error) {
  fmt::print(stderr, "plait: error: {}\n", error.what());
  return 1;
}
