// SPDX-License-Identifier: BSD-3-Clause
// Ranks and threads of plait-boussinesq, on this machine and on four emulated nodes: measured
// beside the predictions of plait predict boussinesq, and the shares of DGEMM's speed that these
// assume.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <future>
#include <iterator>
#include <optional>

#include "advise/boussinesq_forecast.hpp"
#include "advise/given_network.hpp"
#include "base/json_file.hpp"
#include "base/subprocess.hpp"
#include "bench.hpp"
#include "machine/open_machine.hpp"
#include "model/hybrid_inputs.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

constexpr int kNodes = 4;
constexpr int kCoresPerNode = 2;
constexpr int kMbit = 200;

/// A machine file that plait measure writes now.
class MeasuredMachine {
public:
  MeasuredMachine() { measure({"--fresh"}); }

  /// Adds messages between nodes, all-to-all exchanges among them.
  void measure_between(const Nodes& nodes) {
    measure({"--only-nodes", "--cluster", nodes.name(), "--mpi", kBoussinesq.launcher,
             "--ranks-per-node", std::to_string(kCoresPerNode)});
  }

  [[nodiscard]] const std::string& path() const { return kept_.path(); }
  [[nodiscard]] const machine::MachineFile& file() const { return file_; }
  /// Of a good DGEMM.
  [[nodiscard]] double flops_per_s(int cores) const {
    return model::hpl_speed(file_.measured.value(), file_.host).at(cores);
  }
  [[nodiscard]] double memory_bytes_per_s(int cores) const {
    return model::memory_speed(file_.measured.value(), file_.host).at(cores);
  }

private:
  void measure(const std::vector<std::string>& options) {
    std::vector<std::string> command{PLAIT_PROGRAM, "measure", "--quick", "--output", path()};
    command.insert(command.end(), options.begin(), options.end());
    const CommandResult result = run_command(command, std::chrono::minutes(3));
    if (result.exit_code != 0) throw Error("plait measure", "failed", result.err);
    file_ = machine::open_machine(path());
  }

  TemporaryFile kept_{"machine"};
  machine::MachineFile file_;
};

/// Ranks x threads, the predicted time of a step, and the measured one in each round, in ms.
struct Case {
  int ranks, threads;
  std::optional<model::Predicted> predicted{};
  std::string not_predicted{};  ///< why
  std::vector<double> steps_ms{};
  [[nodiscard]] std::string name() const { return fmt::format("{}x{}", ranks, threads); }
  [[nodiscard]] double least_ms() const { return *std::ranges::min_element(steps_ms); }
};

double least_step_ms(const std::string& output) {
  return number_after(output, "at least ");
}

/// How many cases there are, and how many times are within the predicted intervals.
struct Verdict {
  int cases = 0, within = 0;
};

/// Predicts all cases.
/// @param request  without the runs
/// @param nodes    that share the ranks
void predict(std::vector<Case>& cases, int nodes, advise::BoussinesqRequest request) {
  for (Case& one : cases) {
    try {
      request.runs = {one.name()};
      request.per_node = one.ranks / nodes;
      one.predicted = advise::forecast_boussinesq(request).rows.front().time.total;
    } catch (const Error& error) {
      one.not_predicted = error.what();
    }
  }
}

/// Prints times beside predictions. A case without a prediction is outside.
void print_beside(const std::vector<Case>& cases, Verdict& verdict) {
  for (const Case& one : cases) {
    const double measured = one.least_ms();
    ++verdict.cases;
    fmt::print("  {:<4} {:>8.2f} ms", one.name(), measured);
    if (!one.predicted) {
      fmt::print(", no prediction: {}\n", one.not_predicted);
      continue;
    }
    const auto& [s, low_s, high_s] = *one.predicted;
    const bool inside = measured >= 1e3 * low_s && measured <= 1e3 * high_s;
    verdict.within += inside ? 1 : 0;
    fmt::print(", predicted {:>8.2f} ms ({:.2f} to {:.2f} ms){}\n", 1e3 * s, 1e3 * low_s,
               1e3 * high_s, inside ? "" : ": outside");
  }
  std::fflush(stdout);
}

/// Shares of DGEMM's speed on one core. In each round, the mean of two sizes.
void print_shares(const MeasuredMachine& machine, int rounds) {
  fmt::print(
      "\nOne core: shares of the {:.1f} GFLOP/s of a good DGEMM (90 % of the measured "
      "peak), mean of 64x64x65 and 128x128x129 points\n",
      machine.flops_per_s(1) / 1e9);
  constexpr int kPoints[] = {64, 128};
  const TemporaryFile file("shares");
  std::vector<double> transforms, columns;
  for (int round = 0; round < rounds; ++round) {
    double transform_share = 0, column_share = 0;
    for (const int n : kPoints) {
      model::BoussinesqCase of;
      of.points = {n, n, n + 1};
      std::vector<std::string> command =
          step_arguments(fmt::format("{0}x{0}x{1}", n, n + 1), "blocking", 1);
      command.insert(command.end(), {"--json", file.path()});
      run_solver(kBoussinesq, 1, command);
      const nlohmann::json result =
          read_json_file(file.path(), "plait-boussinesq", 1).at("runs")[0];
      const auto seconds = [&](const char* name) { return result.at(name).get<double>(); };
      // The parts of the least step.
      const double flops = machine.flops_per_s(1) * seconds("least_step_seconds") /
                           seconds("seconds") * static_cast<double>(std::size(kPoints));
      const model::BoussinesqWork work = model::boussinesq_work(of);
      transform_share += work.transform_flops / (seconds("transform_seconds") * flops);
      column_share += work.column_flops / (seconds("column_seconds") * flops);
    }
    transforms.push_back(transform_share);
    columns.push_back(column_share);
  }
  const auto print = [](const char* name, const std::vector<double>& shares,
                        const model::ReachedShare& taken) {
    const MedianInterval of = median_interval(shares);
    fmt::print("  {}: {:.3f} ({:.3f} to {:.3f}); plait predict takes {:.2f} ({:.2f} to {:.2f})\n",
               name, of.median, of.low, of.high, taken.value, taken.low, taken.high);
    fmt::print("RESULT {}_of_gemm {:.3f} fraction\n", name, of.median);
  };
  print("transforms", transforms, model::kTransformsOfGemm);
  print("columns", columns, model::kColumnsOfGemm);
}

double step_here_ms(const Options& options, int ranks, int threads) {
  return least_step_ms(
      run_solver(kBoussinesq, ranks, step_arguments(options.size, "blocking", threads)));
}

/// Runs all cases by turns, and two runs of one thread at the same time.
/// @return the step of the slower of these two in each round, in ms
std::vector<double> run_here(std::vector<Case>& cases, const Options& options) {
  std::vector<double> beside_each_other_ms;
  for (int round = 0; round < options.rounds; ++round) {
    for (Case& one : cases) {
      one.steps_ms.push_back(step_here_ms(options, one.ranks, one.threads));
    }
    auto other = std::async(std::launch::async, [&options] { return step_here_ms(options, 1, 1); });
    const double own = step_here_ms(options, 1, 1);
    beside_each_other_ms.push_back(std::max(own, other.get()));
  }
  return beside_each_other_ms;
}

/// Of a whole run: a step whose messages find filled buckets is faster than the links.
double mean_step_ms(const std::string& output) {
  return number_after(output, " steps, ");
}

void run_on_nodes(std::vector<Case>& cases, const Nodes& nodes, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (Case& one : cases) {
      // Each node takes its cores for its own, but others compute on them.
      std::vector<std::string> command{kBoussinesq.launcher,      "-n",
                                       std::to_string(one.ranks), "env",
                                       "OMP_WAIT_POLICY=passive", kBoussinesq.program};
      for (const std::string& word :
           step_arguments(kSizeOnNodes, "blocking,wait=sleep", one.threads)) {
        command.push_back(word);
      }
      one.steps_ms.push_back(
          mean_step_ms(nodes.run("plait-boussinesq", command, std::chrono::minutes(3))));
    }
  }
}

/// The nodes share the cores of this machine, so each has a part of its speed.
advise::BoussinesqRequest request_for_nodes(const MeasuredMachine& machine) {
  const int cores = static_cast<int>(machine.file().topology.allowed_cores().size());
  const auto per_node = [](double rate) { return fmt::format("{:.3f}MB/s", rate / kNodes / 1e6); };
  advise::BoussinesqRequest request;
  request.machine = machine.path();
  request.size = kSizeOnNodes;
  // A thread is no faster than a core.
  const double share = machine.flops_per_s(cores) / kNodes;
  request.speed_gflops = {std::min(machine.flops_per_s(1), share) / 1e9,
                          std::min(machine.flops_per_s(std::min(2, cores)), share) / 1e9};
  request.memory_bandwidth = per_node(machine.memory_bytes_per_s(cores));
  constexpr std::uint64_t kMessage = 1 << 16;
  if (const auto link = advise::inside_of("", machine.file(), kMessage)) {
    request.inside_bandwidth = per_node(link->pair_bytes_per_s.value);
  }
  return request;
}

}  // namespace

void compare_with_predictions(const Options& options) {
  MeasuredMachine machine;
  print_shares(machine, options.rounds);

  fmt::print("\n{} points on this machine, ranks x threads: least time of a step\n", options.size);
  std::vector<Case> here{{1, 1}, {1, 2}, {2, 1}};
  advise::BoussinesqRequest request;
  request.machine = machine.path();
  request.size = options.size;
  predict(here, 1, request);
  const std::vector<double> beside_each_other_ms = run_here(here, options);
  Verdict verdict;
  print_beside(here, verdict);
  std::vector<double> efficiencies;
  for (std::size_t round = 0; round < here[0].steps_ms.size(); ++round) {
    efficiencies.push_back(here[0].steps_ms[round] / here[1].steps_ms[round] / 2);
  }
  fmt::print(
      "  two runs of one thread at the same time: each at {:.3f} of the speed of one alone\n",
      ratio_interval(here[0].steps_ms, beside_each_other_ms).median);
  fmt::print("RESULT thread_efficiency {:.3f} fraction\n", median_interval(efficiencies).median);
  fmt::print("RESULT thread_efficiency_of_cores {:.3f} ratio\n",
             ratio_interval(beside_each_other_ms, here[1].steps_ms).median / 2);
  fmt::print("RESULT threads_over_ranks {:.3f} ratio\n",
             ratio_interval(here[1].steps_ms, here[2].steps_ms).median);
  try {
    const Nodes nodes("boussinesq", kNodes, kMbit, 0, kCoresPerNode);
    machine.measure_between(nodes);
    fmt::print(
        "\n{} points on {} nodes with links of {} Mbit/s, ranks x threads: mean time of a step\n",
        kSizeOnNodes, kNodes, kMbit);
    std::vector<Case> there{{kNodes, 1}, {kNodes, 2}, {2 * kNodes, 1}};
    predict(there, kNodes, request_for_nodes(machine));
    run_on_nodes(there, nodes, std::min(options.rounds, 3));
    print_beside(there, verdict);
    fmt::print("RESULT threads_over_ranks_on_nodes {:.3f} ratio\n",
               there[1].least_ms() / there[2].least_ms());
  } catch (const Error& error) {
    fmt::print("\nno emulated nodes: {}\n", error.what());
  }
  fmt::print("{} of {} times are within the predicted intervals\n", verdict.within, verdict.cases);
  fmt::print("RESULT predicted_within_interval {:.2f} fraction\n",
             static_cast<double>(verdict.within) / verdict.cases);
}

}  // namespace plait::bench
