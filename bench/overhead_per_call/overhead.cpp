// SPDX-License-Identifier: BSD-3-Clause
// What a recorded MPI call costs over none, by pairs of runs with and without the preload object.
//
// The two runs of a pair follow each other, in alternating order, so that a change of the
// machine's speed falls on both. A run's figure is the smallest of its blocks: noise only adds.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace {

struct Case {
  std::string kind, launcher, program, object;
};

const std::vector<Case> cases = {
#include "cases.inc"
};

/// Smallest ns per call, by what was called.
using Figures = std::map<std::string, double>;

std::filesystem::path scratch_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "plait-overhead-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    throw plait::Error("the benchmark", "cannot make a folder for records", "set TMPDIR");
  return pattern;
}

Figures run(const Case& which, int ranks, const std::string& object,
            const std::filesystem::path& records) {
  std::vector<std::string> command{which.launcher, "-n", std::to_string(ranks)};
  command.insert(command.end(), {which.kind == "openmpi" ? "--bind-to" : "-bind-to", "core"});
  std::vector<std::pair<std::string, std::string>> environment{
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
      {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"PLAIT_RECORDS", records.string()}};
  if (!object.empty()) {
    command.insert(command.end(), {"env", "LD_PRELOAD=" + object});
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

struct Samples {
  std::vector<double> without, with, added;
};

std::map<std::string, Samples> measure(const Case& which, int pairs,
                                       const std::filesystem::path& records) {
  std::map<std::string, Samples> samples;
  for (int pair = 0; pair < pairs; ++pair) {
    for (const int ranks : {1, 2}) {
      const bool recorded_first = pair % 2;
      Figures first = run(which, ranks, recorded_first ? which.object : "", records);
      Figures second = run(which, ranks, recorded_first ? "" : which.object, records);
      const Figures& with = recorded_first ? first : second;
      const Figures& without = recorded_first ? second : first;
      for (const auto& [name, plain] : without) {
        const auto recorded = with.find(name);
        if (recorded == with.end()) continue;
        samples[name].without.push_back(plain);
        samples[name].with.push_back(recorded->second);
        samples[name].added.push_back(recorded->second - plain);
      }
    }
  }
  return samples;
}

void print_row(const std::string& name, const Samples& samples) {
  const Summary without = summarize(samples.without), with = summarize(samples.with),
                added = summarize(samples.added);
  fmt::print("  {:<34} {:>8.1f} {:>8.1f} {:>8.1f}  [{:.1f}, {:.1f}]\n", name, without.median,
             with.median, added.median, added.low, added.high);
}

}  // namespace

int main(int argc, char** argv) try {
  const int pairs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  if (cases.empty())
    throw plait::Error("the benchmark", "no MPI was found at configure time",
                       "install Open MPI or MPICH and configure anew");
  const auto records = scratch_folder();
  double result = 0;
  fmt::print("Cost of recording an MPI call, ns; {} pairs of runs, smallest of 21 blocks each\n",
             pairs);
  for (const Case& which : cases) {
    const auto samples = measure(which, pairs, records);
    fmt::print("\n{:<36} {:>8} {:>8} {:>8}  {}\n", which.kind, "none", "plait", "added",
               "95 % interval");
    print_row("MPI_Send, 8 bytes to MPI_PROC_NULL", samples.at("send"));
    print_row("MPI_Isend + MPI_Wait (two calls)", samples.at("isend_wait"));
    if (samples.count("round_trip")) print_row("ping-pong (four calls)", samples.at("round_trip"));
    if (which.kind == "openmpi" || result == 0) result = summarize(samples.at("send").added).median;
  }
  std::filesystem::remove_all(records);
  fmt::print(
      "\nFor comparison, not measured here: on one 2-core virtual machine the same MPI_Send cost\n"
      "58 ns more with IPM 2.0.6, 66 with DLB's TALP, 78 with mpiP without call sites, and 154 "
      "with\n"
      "EZTrace 2.0 (Open MPI 4.1.4, smallest of several runs).\n\n");
  fmt::print("RESULT profile_overhead_ns {:.1f} ns\n", result);
  return 0;
} catch (const plait::Error& error) {
  fmt::print(stderr, "plait: error: {}\n", error.what());
  return 1;
}
