// SPDX-License-Identifier: BSD-3-Clause
// A step of plait-boussinesq compared with its parts, and its schedules on emulated nodes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench.hpp"
#include "plait/error.hpp"

namespace plait::bench {

void compare_with_parts(const Options& options) {
  fmt::print("\n{} points, two ranks: a step and its parts\n", options.size);
  std::vector<double> ratios;
  double bytes = 0;
  for (int round = 0; round < options.rounds; ++round) {
    std::vector<std::string> command = step_arguments(options.size, "blocking", 1);
    command.emplace_back("--bound");
    const std::string output = run_solver(kBoussinesq, 2, command);
    const double step = number_after(output, "at least ");
    const double bound = number_after(output, "\nbound ");
    ratios.push_back(step / bound);
    bytes = number_after(output, "\nmemory ");
    fmt::print("  step {:.2f} ms, parts {:.2f} ms, ratio {:.3f}\n", step, bound, ratios.back());
    std::fflush(stdout);
  }
  fmt::print("RESULT step_over_parts {:.3f} ratio\n", median_interval(ratios).median);
  fmt::print("RESULT bytes_per_point {:.1f} B\n", bytes);
}

namespace {

/// Messages between two nodes and what can be computed meanwhile.
struct Overlap {
  int mbit;
  const char* subgrid;
};

/// Without a model, a fast core computes less than such a link takes; PIR3D has a model, too.
constexpr Overlap kOverlaps[] = {{1000, "none"}, {1000, "sigma"}, {2000, "sigma"}};

/// The largest part of the transposes' own time that a schedule hides.
double most_hidden(const Nodes& nodes, const Overlap& of, int rounds) {
  fmt::print("\n{} points, two nodes, {} Mbit/s, subgrid model: {}\n", kSizeOnNodes, of.mbit,
             of.subgrid);
  std::vector<SolverModel> models;
  for (const char* schedule : {"nonblocking", "polled", "comm_thread", "blocking"}) {
    models.push_back({schedule, step_arguments(kSizeOnNodes, schedule, 2)});
    auto& options = models.back().options;
    options.insert(options.end(), {"--chunks", "8", "--subgrid", of.subgrid});
  }
  models.back().options.emplace_back("--bound");
  const std::vector<std::string> outputs = run_by_turns(nodes, 2, kBoussinesq, models, rounds);
  // The first step transposes twice.
  const double transposes = number_after(outputs.back(), " s, ") + 1;
  const double messages = number_after(outputs.back(), "ms, transposes ") / 1e3 * transposes;
  const double blocking = std::ranges::min(models.back().seconds);
  models.pop_back();
  double best = 0;
  for (const SolverModel& model : models) {
    const double hidden = (blocking - std::ranges::min(model.seconds)) / messages;
    best = std::max(best, hidden);
    fmt::print("  {:<15} hides {:.2f} of the {:.1f} ms of the transposes of a step\n", model.name,
               hidden, 1e3 * messages / transposes);
  }
  std::fflush(stdout);
  return best;
}

}  // namespace

void compare_schedules(const Options& options) {
  try {
    Nodes nodes("boussinesq", 2, 1000);
    double best = 0;
    for (const Overlap& of : kOverlaps) {
      nodes.set_rate(of.mbit);
      best = std::max(best, most_hidden(nodes, of, options.rounds));
    }
    fmt::print("RESULT hidden_fraction {:.3f} fraction\n", best);
  } catch (const Error& error) {
    fmt::print("\nno emulated nodes: {}\n", error.what());
  }
}

}  // namespace plait::bench
