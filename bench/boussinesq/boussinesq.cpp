// SPDX-License-Identifier: BSD-3-Clause
// plait-boussinesq compared with the parts of its step, its threads with each other, and its
// schedules on two emulated nodes of one core with a slow link.
//
// Usage: boussinesq [a] [b] [c] [--size NXxNYxNZ] [--rounds R]
//   a to c: the parts to run (default: all); size (default: 128x128x129); R: rounds (default: 5)
// (a) a step over its parts, and memory; (b) one and two threads, two ranks; (c) schedules on nodes
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "../solver_run.hpp"
#include "base/failure.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

const Solver kSolver{PLAIT_BOUSSINESQ_MPIEXEC, PLAIT_BOUSSINESQ};

struct Options {
  std::string parts;
  std::string size = "128x128x129";
  int rounds = 5;
  [[nodiscard]] bool wants(char part) const {
    return parts.empty() || parts.find(part) != std::string::npos;
  }
};

std::vector<std::string> arguments(const Options& options, const std::string& schedule,
                                   int threads) {
  return {"--size",     options.size, "--steps",   "8",
          "--every",    "0",          "--threads", std::to_string(threads),
          "--schedule", schedule};
}

/// The least time of a step, in ms.
double least_step(const std::string& output) {
  return number_after(output, "at least ");
}

/// Two ranks: the median ratio of the least step to its parts, which the same run measures.
void step_and_parts(const Options& options) {
  fmt::print("\n{} points, two ranks: a step and its parts\n", options.size);
  std::vector<double> ratios;
  double bytes = 0;
  for (int round = 0; round < options.rounds; ++round) {
    std::vector<std::string> command = arguments(options, "blocking", 1);
    command.push_back("--bound");
    const std::string output = run_solver(kSolver, 2, command);
    const double bound = number_after(output, "\nbound ");
    ratios.push_back(least_step(output) / bound);
    bytes = number_after(output, "\nmemory ");
    fmt::print("  step {:.2f} ms, parts {:.2f} ms, ratio {:.3f}\n", least_step(output), bound,
               ratios.back());
    std::fflush(stdout);
  }
  fmt::print("RESULT step_over_parts {:.3f} ratio\n", median_interval(ratios).median);
  fmt::print("RESULT bytes_per_point {:.1f} B\n", bytes);
}

/// One rank: the median speedup of two threads over one, divided by two; and two ranks beside.
void threads_and_ranks(const Options& options) {
  fmt::print("\n{} points: one rank with one and two threads, two ranks\n", options.size);
  std::vector<double> efficiencies, hybrids;
  for (int round = 0; round < options.rounds; ++round) {
    const double one = least_step(run_solver(kSolver, 1, arguments(options, "blocking", 1)));
    const double two = least_step(run_solver(kSolver, 1, arguments(options, "blocking", 2)));
    const double ranks = least_step(run_solver(kSolver, 2, arguments(options, "blocking", 1)));
    efficiencies.push_back(one / two / 2);
    hybrids.push_back(two / ranks);
    fmt::print("  1x1 {:.2f} ms, 1x2 {:.2f} ms, 2x1 {:.2f} ms\n", one, two, ranks);
    std::fflush(stdout);
  }
  fmt::print("RESULT thread_efficiency {:.3f} fraction\n", median_interval(efficiencies).median);
  fmt::print("RESULT threads_over_ranks {:.3f} ratio\n", median_interval(hybrids).median);
}

/// The part of the transposes' own time that the best schedule hides, on the link on which it hides
/// most.
void hidden(const Options& options) {
  try {
    Nodes nodes("boussinesq", 2, 1000);
    double best = 0;
    for (const int mbit : {1000, 400}) {
      nodes.set_rate(mbit);
      fmt::print("\n{} points, two nodes, {} Mbit/s\n", options.size, mbit);
      std::vector<SolverModel> models;
      for (const char* schedule : {"nonblocking", "polled", "comm_thread", "blocking"}) {
        models.push_back({schedule, arguments(options, schedule, 1)});
        models.back().options.push_back("--bound");
      }
      const std::vector<std::string> outputs =
          run_by_turns(nodes, 2, kSolver, models, options.rounds);
      const double steps = number_after(outputs.back(), " s, ");
      const double messages = number_after(outputs.back(), "transposes ") / 1e3 * steps;
      const double blocking = median_interval(models.back().seconds).median;
      for (const SolverModel& model : models) {
        best = std::max(best, (blocking - median_interval(model.seconds).median) / messages);
      }
    }
    fmt::print("RESULT hidden_fraction {:.3f} fraction\n", best);
  } catch (const Error& error) {
    fmt::print("\nno emulated nodes: {}\n", error.what());
  }
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "a" || argument == "b" || argument == "c") {
      options.parts += argument;
      continue;
    }
    if (argument == "--size" && !value.empty()) {
      options.size = value;
    } else if (argument == "--rounds" && std::atoi(value.c_str()) > 0) {
      options.rounds = std::atoi(value.c_str());
    } else {
      throw Error(std::string(argument), "unknown argument",
                  "usage: boussinesq [a] [b] [c] [--size NXxNYxNZ] [--rounds R]");
    }
    ++i;
  }
  return options;
}

int run(const Options& options) {
  if (options.wants('a')) step_and_parts(options);
  if (options.wants('b')) threads_and_ranks(options);
  if (options.wants('c')) hidden(options);
  return 0;
}

}  // namespace
}  // namespace plait::bench

int main(int argc, char** argv) try {
  return plait::bench::run(plait::bench::read_options(argc, argv));
} catch (const plait::Error& error) {
  fmt::print(stderr, "plait: error: {}\n", error.what());
  return plait::exit_code_of(error);
}
