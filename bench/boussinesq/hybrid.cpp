// SPDX-License-Identifier: BSD-3-Clause
// Ranks and threads of plait-boussinesq, on this machine and on four emulated nodes: measured
// beside the predictions of plait predict boussinesq, and the shares of DGEMM's speed that these
// assume.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "advise/boussinesq_forecast.hpp"
#include "advise/given_network.hpp"
#include "base/subprocess.hpp"
#include "bench.hpp"
#include "machine/open_machine.hpp"
#include "model/hybrid_inputs.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kNodes = 4;
constexpr int kMbit = 200;
/// Of a message between emulated nodes without added latency.
constexpr const char* kLatency = "50us";

/// A machine file that plait measure writes now.
class MeasuredMachine {
public:
  MeasuredMachine() {
    const CommandResult result =
        run_command({PLAIT_PROGRAM, "measure", "--quick", "--fresh", "--output", path_.string()},
                    std::chrono::minutes(3));
    if (result.exit_code != 0) throw Error("plait measure", "failed", result.err);
    file_ = machine::open_machine(path_.string());
  }
  ~MeasuredMachine() { fs::remove(path_); }
  MeasuredMachine(const MeasuredMachine&) = delete;
  MeasuredMachine& operator=(const MeasuredMachine&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] const machine::MachineFile& file() const { return file_; }
  /// Of a good DGEMM.
  [[nodiscard]] double flops_per_s(int cores) const {
    return model::hpl_speed(file_.measured.value(), file_.host).at(cores);
  }
  [[nodiscard]] double memory_bytes_per_s(int cores) const {
    return model::memory_speed(file_.measured.value(), file_.host).at(cores);
  }

private:
  fs::path path_ =
      fs::temp_directory_path() / fmt::format("plait-bench-boussinesq-{}.json", ::getpid());
  machine::MachineFile file_;
};

/// Ranks x threads, and the least times of its steps in each round, in ms.
struct Case {
  int ranks, threads;
  std::vector<double> steps_ms{};
  [[nodiscard]] std::string name() const { return fmt::format("{}x{}", ranks, threads); }
  [[nodiscard]] double least_ms() const { return *std::ranges::min_element(steps_ms); }
};

double least_step_ms(const std::string& output) {
  return number_after(output, "at least ");
}

/// How many times were predicted, and are within the intervals.
struct Verdict {
  int predicted = 0, within = 0;
};

/// Prints times beside predictions.
/// @param make_request  without the run
/// @param nodes         that share the ranks
void print_beside(const std::vector<Case>& cases, int nodes,
                  const std::function<advise::BoussinesqRequest()>& make_request,
                  Verdict& verdict) {
  for (const Case& one : cases) {
    const double measured = one.least_ms();
    fmt::print("  {:<4} {:>8.2f} ms", one.name(), measured);
    try {
      advise::BoussinesqRequest request = make_request();
      request.runs = {one.name()};
      request.per_node = one.ranks / nodes;
      const report::BoussinesqReport forecast = advise::forecast_boussinesq(request);
      const model::Predicted& time = forecast.rows.front().time.total;
      const bool inside = measured >= 1e3 * time.low_s && measured <= 1e3 * time.high_s;
      ++verdict.predicted;
      verdict.within += inside ? 1 : 0;
      fmt::print(", predicted {:>8.2f} ms ({:.2f} to {:.2f} ms){}\n", 1e3 * time.s,
                 1e3 * time.low_s, 1e3 * time.high_s, inside ? "" : ": outside");
    } catch (const Error& error) {
      fmt::print(", no prediction: {}\n", error.what());
    }
  }
  std::fflush(stdout);
}

void print_shares(const MeasuredMachine& machine) {
  fmt::print("\nOne core: shares of the {:.1f} GFLOP/s of a good DGEMM (90 % of the peak)\n",
             machine.flops_per_s(1) / 1e9);
  std::vector<double> transforms, columns;
  for (const int n : {64, 128}) {
    model::BoussinesqCase of;
    of.points = {n, n, n + 1};
    const std::string size = fmt::format("{0}x{0}x{1}", n, n + 1);
    const std::string output = run_solver(kBoussinesq, 1, step_arguments(size, "blocking", 1));
    const double step_s = least_step_ms(output) / 1e3;
    const model::BoussinesqWork work = model::boussinesq_work(of);
    const double percent_s = step_s / 100 * machine.flops_per_s(1);
    transforms.push_back(work.transform_flops /
                         (number_after(output, "transforms and transposes ") * percent_s));
    columns.push_back(work.column_flops / (number_after(output, "%, columns ") * percent_s));
    fmt::print("  {}: transforms {:.3f}, columns {:.3f}\n", size, transforms.back(),
               columns.back());
  }
  const auto mean = [](const std::vector<double>& of) { return (of[0] + of[1]) / 2; };
  fmt::print("  plait predict takes {:.2f} ({:.2f} to {:.2f}) and {:.2f} ({:.2f} to {:.2f})\n",
             model::kTransformsOfGemm.value, model::kTransformsOfGemm.low,
             model::kTransformsOfGemm.high, model::kColumnsOfGemm.value, model::kColumnsOfGemm.low,
             model::kColumnsOfGemm.high);
  fmt::print("RESULT transforms_of_gemm {:.3f} fraction\n", mean(transforms));
  fmt::print("RESULT columns_of_gemm {:.3f} fraction\n", mean(columns));
}

std::vector<Case> run_here(const Options& options) {
  std::vector<Case> cases{{1, 1}, {1, 2}, {2, 1}};
  for (int round = 0; round < options.rounds; ++round) {
    for (Case& one : cases) {
      one.steps_ms.push_back(least_step_ms(run_solver(
          kBoussinesq, one.ranks, step_arguments(options.size, "blocking", one.threads))));
    }
  }
  return cases;
}

std::vector<Case> run_on_nodes(const Nodes& nodes, int rounds) {
  std::vector<Case> cases{{kNodes, 1}, {kNodes, 2}, {2 * kNodes, 1}};
  for (int round = 0; round < rounds; ++round) {
    for (Case& one : cases) {
      std::vector<std::string> command{kBoussinesq.launcher, "-n", std::to_string(one.ranks),
                                       kBoussinesq.program};
      for (const std::string& word : step_arguments(kSizeOnNodes, "blocking", one.threads)) {
        command.push_back(word);
      }
      one.steps_ms.push_back(
          least_step_ms(nodes.run("plait-boussinesq", command, std::chrono::minutes(3))));
    }
  }
  return cases;
}

/// The nodes share the cores of this machine, so each has a part of its speed.
advise::BoussinesqRequest request_for_nodes(const MeasuredMachine& machine) {
  const int cores = static_cast<int>(machine.file().topology.allowed_cores().size());
  const auto per_node = [](double rate) { return fmt::format("{:.3f}MB/s", rate / kNodes / 1e6); };
  advise::BoussinesqRequest request;
  request.machine = machine.path();
  request.size = kSizeOnNodes;
  const double gflops = machine.flops_per_s(cores) / kNodes / 1e9;
  request.speed_gflops = {gflops, gflops};
  request.memory_bandwidth = per_node(machine.memory_bytes_per_s(cores));
  request.network = {kLatency, fmt::format("{}mbit", kMbit), fmt::format("{}mbit", kMbit)};
  constexpr std::uint64_t kMessage = 1 << 16;
  if (const auto link = advise::inside_of("", machine.file(), kMessage)) {
    request.inside_bandwidth = per_node(link->pair_bytes_per_s.value);
  }
  return request;
}

}  // namespace

void compare_with_predictions(const Options& options) {
  const MeasuredMachine machine;
  print_shares(machine);

  fmt::print("\n{} points on this machine, ranks x threads: least time of a step\n", options.size);
  const std::vector<Case> here = run_here(options);
  Verdict verdict;
  print_beside(
      here, 1,
      [&] {
        advise::BoussinesqRequest request;
        request.machine = machine.path();
        request.size = options.size;
        return request;
      },
      verdict);
  std::vector<double> efficiencies;
  for (std::size_t round = 0; round < here[0].steps_ms.size(); ++round) {
    efficiencies.push_back(here[0].steps_ms[round] / here[1].steps_ms[round] / 2);
  }
  fmt::print("RESULT thread_efficiency {:.3f} fraction\n", median_interval(efficiencies).median);
  fmt::print("RESULT threads_over_ranks {:.3f} ratio\n",
             ratio_interval(here[1].steps_ms, here[2].steps_ms).median);
  try {
    const Nodes nodes("boussinesq", kNodes, kMbit, 0, 2);
    fmt::print(
        "\n{} points on {} nodes with links of {} Mbit/s, ranks x threads: least time of a step\n",
        kSizeOnNodes, kNodes, kMbit);
    const std::vector<Case> there = run_on_nodes(nodes, std::min(options.rounds, 3));
    print_beside(
        there, kNodes, [&] { return request_for_nodes(machine); }, verdict);
    fmt::print("RESULT threads_over_ranks_on_nodes {:.3f} ratio\n",
               there[1].least_ms() / there[2].least_ms());
  } catch (const Error& error) {
    fmt::print("\nno emulated nodes: {}\n", error.what());
  }
  if (verdict.predicted == 0) return;
  fmt::print("RESULT predicted_within_interval {:.2f} fraction\n",
             static_cast<double>(verdict.within) / verdict.predicted);
}

}  // namespace plait::bench
