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
  fmt::print("RESULT bytes_per_point_automatic {:.1f} B\n", bytes);
  // The most memory that a transport takes: all messages are packed, and none are in windows.
  std::vector<std::string> packed = step_arguments(options.size, "blocking", 1);
  packed.insert(packed.end(), {"--transport", "alltoallv"});
  fmt::print("RESULT bytes_per_point {:.1f} B\n",
             number_after(run_solver(kBoussinesq, 2, packed), "\nmemory "));
}

namespace {

/// On smaller grids, the copies of messages take more of a step.
const std::string kSize = "128x128x129";
/// Of a link.
constexpr int kMbit = 5000;
/// The same for nodes of one core, which also does the work of the link. That cannot be hidden, and
/// takes more of a step on a faster link; on a slower one, transforms hide less of the messages.
constexpr int kMbitOfOneCore = 2500;
/// The longest packets fit, which take least of the nodes' cores.
constexpr double kBurstBytes = 200e3;
constexpr int kChunks = 16;
constexpr int kThreads = 2;
/// Cores of a node, where there are enough: those of the threads, and others that carry messages
/// and packets, as a network adapter does.
constexpr int kCores = 4;
/// Enough that some of them are undisturbed.
constexpr int kStepsOnNodes = 12;

/// Seconds of one evaluation of the tendencies: transforms, products and transposes.
struct Evaluation {
  double transposes = 0;  ///< alone
  double waits = 0;       ///< for their messages, when nothing overlaps
  double planes = 0;      ///< transforms and products, alone
  /// The longest wait that overlap can hide. Nothing is computed beside the first chunk of the way
  /// there and the last one of the way back.
  [[nodiscard]] double most_hidden() const {
    return std::min(planes, waits * (kChunks - 1) / kChunks);
  }
};

int rate_mbit(int cores) {
  return cores == 1 ? kMbitOfOneCore : kMbit;
}

double waits_for_messages(const std::string& output, double evaluations) {
  constexpr double kPercent = 0.01;
  return kPercent * number_after(output, "waits for messages ") * number_after(output, "\ntime ") /
         evaluations;
}

double fastest_step_ms(const std::string& output) {
  return number_after(output, "at least ");
}

/// Of a step, alone: the least of a few repetitions.
double transposes_ms(const std::string& output) {
  return number_after(output, "ms, transposes ");
}

/// Prints the part of the transposes' own time that each schedule hides in the fastest step of a
/// run: other programs on the host disturb the others.
/// @param result  the name of the figure of the schedule that hides most
void print_hidden(const Nodes& nodes, int cores, const std::string& subgrid,
                  const std::string& result, int rounds) {
  fmt::print("\n{} points, two nodes of {} core{}, {} Mbit/s, subgrid model: {}\n", kSize, cores,
             cores == 1 ? "" : "s", rate_mbit(cores), subgrid);
  std::vector<SolverModel> models;
  const auto add = [&](const std::string& name, const std::string& schedule,
                       const std::vector<std::string>& of_launcher) {
    models.push_back(
        {name, 2, step_arguments(kSize, schedule, kThreads, kStepsOnNodes), of_launcher});
    auto& options = models.back().options;
    options.insert(options.end(), {"--chunks", std::to_string(kChunks), "--subgrid", subgrid});
  };
  for (const char* schedule : {"nonblocking", "polled", "comm_thread"}) add(schedule, schedule, {});
  if (cores > kThreads) {
    // A thread of Open MPI moves messages on a core that is free.
    add("with its thread", "nonblocking", {"--mca", "btl_tcp_progress_thread", "1"});
  }
  add("blocking", "blocking", {});
  models.back().options.emplace_back("--bound");
  run_by_turns(nodes, kBoussinesq, models, rounds);
  const SolverModel blocking = models.back();
  models.pop_back();
  const std::string& last = blocking.outputs.back();
  // The first step evaluates twice.
  const double evaluations = number_after(last, " s, ") + 1;
  const Evaluation alone{transposes_ms(last) / 1e3, waits_for_messages(last, evaluations),
                         number_after(last, "\ntransforms with products ") / 1e3};
  const double possible = std::min(1.0, alone.most_hidden() / alone.transposes);
  double hidden_waits = 0;
  MedianInterval best;
  std::string best_name;
  fmt::print(
      "  The transposes of a step take {:.1f} ms, with waits of {:.1f} ms for messages. "
      "Transforms\n"
      "  and products take {:.1f} ms, so at most {:.2f} of the transposes can be hidden.\n"
      "  Hidden, by round (95 % interval):\n",
      1e3 * alone.transposes, 1e3 * alone.waits, 1e3 * alone.planes, possible);
  for (const SolverModel& model : models) {
    const double hidden_here =
        1 - waits_for_messages(model.outputs.back(), evaluations) / alone.waits;
    hidden_waits = std::max(hidden_waits, hidden_here);
    std::vector<double> parts;
    for (std::size_t round = 0; round < blocking.outputs.size(); ++round) {
      const std::string& whole = blocking.outputs[round];
      parts.push_back((fastest_step_ms(whole) - fastest_step_ms(model.outputs[round])) /
                      transposes_ms(whole));
    }
    const MedianInterval hidden = median_interval(parts);
    if (best_name.empty() || hidden.median > best.median) {
      best = hidden;
      best_name = model.name;
    }
    fmt::print("  {:<15} {:.2f} ({:.2f} to {:.2f}); of the waits for messages {:.2f}\n", model.name,
               hidden.median, hidden.low, hidden.high, hidden_here);
  }
  fmt::print("best schedule: {}\nRESULT {} {:.3f} fraction\n", best_name, result, best.median);
  fmt::print("RESULT {}_of_possible {:.3f} fraction\n", result, best.median / possible);
  fmt::print("RESULT {}_of_waits {:.3f} fraction\n", result, hidden_waits);
  std::fflush(stdout);
}

}  // namespace

void compare_schedules(const Options& options) {
  try {
    const int cores = std::min(kCores, cores_per_node(2));
    const Nodes nodes("boussinesq", 2, rate_mbit(cores), 0, cores, kBurstBytes);
    // Without a model, a fast core computes less than such a link takes; PIR3D has a model, too.
    print_hidden(nodes, cores, "sigma", "hidden_fraction", options.rounds);
    print_hidden(nodes, cores, "none", "hidden_fraction_without_model", (options.rounds + 2) / 3);
  } catch (const Error& error) {
    fmt::print("\nno emulated nodes: {}\n", error.what());
  }
}

}  // namespace plait::bench
