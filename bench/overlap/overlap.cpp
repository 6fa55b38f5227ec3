// SPDX-License-Identifier: BSD-3-Clause
// Compares all schedules on two emulated nodes of one core each, with the model's predictions.
//
// Usage: overlap [a] [b] [c] [d] [--seconds S] [--explain]
//   a to d: the parts to run (default: all); S: seconds of timing per table (default: 4);
//   --explain: also print the library's explain() for each
// (a) Jacobi with several networks, sizes and MPI libraries; (b) Stengel's nodes, emulated by
// sleep; (c) the MPI libraries' own asynchronous progress; (d) busy nodes. See
// docs/explanation/overlap.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../benchmark_main.hpp"
#include "base/statistics.hpp"
#include "busy_processes.hpp"
#include "launch.hpp"
#include "plait/error.hpp"
#include "tables.hpp"

namespace plait::bench {
namespace {

const std::vector<Library> libraries = {
#include "libraries.inc"
};

struct Options {
  std::string parts;
  double seconds = 4;
  bool explain = false;
};

/// Figures of all parts, for the RESULT lines.
struct Figures {
  std::vector<double> automatic_over_blocking, automatic_certainly, model_errors;
  int cells = 0, picked = 0;
  std::vector<double> gains, efficiencies, busy_gains, busy_small_gains;
  double busy_gain_of_openmpi4 = 0, busy_bound_of_openmpi4 = 0;
  double over_mpich_progress = 0, over_intel_progress = 0;
};

/// The names and those of the schedules; with one thread per rank, `tasks` is the same as `polled`.
std::vector<std::string> with_schedules(std::vector<std::string> names, int threads) {
  for (const std::string& schedule : plain_schedules()) {
    if (threads > 1 || schedule != "tasks") names.push_back(schedule);
  }
  names.push_back("automatic");
  return names;
}

/// Adds samples of the same contenders, run by run.
void append(const Measured& from, Measured& into) {
  for (const auto& [name, samples] : from.samples)
    into.samples[name].insert(into.samples[name].end(), samples.begin(), samples.end());
}

/// A run that fails only loses its own table.
bool try_run(const Nodes& nodes, const Library& library, const Job& job, Measured& measured) {
  try {
    measured = run_on_nodes(nodes, library, job);
    return true;
  } catch (const Error& error) {
    fmt::print("\n  left out: {}\n", error.what());
    return false;
  }
}

void show(const std::string& title, const Measured& measured, const Options& options,
          const std::vector<std::string>& rows) {
  print_table(title, measured, rows);
  if (options.explain) fmt::print("\n{}", measured.explained);
  std::fflush(stdout);
}

/// Adds the error of the model, and whether automatic is within 5 % of the best.
void judge(const Measured& measured, Figures& figures) {
  for (const auto& [name, model] : measured.predicted) {
    if (const double s = median_s(measured, name); s > 0)
      figures.model_errors.push_back(std::abs(model.s / s - 1));
  }
  const auto best = fastest(measured, plain_schedules());
  if (best.empty() || median_s(measured, "automatic") == 0) return;
  ++figures.cells;
  if (ratio(measured, "automatic", best).median <= 1.05) ++figures.picked;
}

void real_computation(Nodes& nodes, const Options& options, Figures& figures) {
  const auto contenders = with_schedules({"compute", "exchange", "hand"}, Job{}.threads);
  for (const int cells : {120, 60}) {
    for (const int mbit : {1000, 400, 200, 100}) {
      nodes.set_rate(mbit);
      for (const Library& library : libraries) {
        Job job;
        job.cells = cells;
        job.budget_s = options.seconds;
        job.rounds = 200;
        job.contenders = contenders;
        Measured measured;
        if (!try_run(nodes, library, job, measured)) continue;
        show(fmt::format("(a) Jacobi {}^3 per node, {} Mbit/s, {}", cells, mbit, library.name),
             measured, options, contenders);
        judge(measured, figures);
        const Ratio slower = ratio(measured, "automatic", "blocking");
        figures.automatic_over_blocking.push_back(slower.median);
        figures.automatic_certainly.push_back(slower.low);
      }
    }
  }
}

/// Stengel's nodes: two threads, six faces of 120^2 doubles each way, 85 MB/s.
Job stengel_job(double seconds, const std::vector<std::string>& contenders) {
  Job job;
  job.asleep = true;
  job.threads = 2;
  job.budget_s = seconds;
  job.contenders = contenders;
  // Idle threads sleep: the two cores of a node are emulated on one.
  job.environment = {{"OMP_WAIT_POLICY", "passive"}};
  return job;
}

void stengels_nodes(Nodes& nodes, const Options& options, Figures& figures) {
  nodes.set_rate(680);
  const auto contenders =
      with_schedules({"compute", "compute_one", "exchange", "hand", "hand_nonblocking"}, 2);
  for (const Library& library : libraries) {
    Measured measured;
    if (!try_run(nodes, library, stengel_job(2 * options.seconds, contenders), measured)) continue;
    show(fmt::format("(b) Stengel's nodes (sweep asleep), 680 Mbit/s, {}", library.name), measured,
         options, contenders);
    judge(measured, figures);
    const double blocking = std::min(median_s(measured, "hand"), median_s(measured, "blocking"));
    const double overlapped = median_s(measured, "comm_thread");
    const double bound =
        std::max(median_s(measured, "compute_one"), median_s(measured, "exchange"));
    figures.gains.push_back(blocking / overlapped);
    figures.efficiencies.push_back((blocking - overlapped) / (blocking - bound));
  }
}

/// Compares the progress thread of the library with ours, in turn.
/// @return the ratio of its best step to that of comm_thread
double own_progress(const Nodes& nodes, const Library& library, const Options& options,
                    const std::string& variable) {
  const std::vector<std::string> by_hand{"hand", "hand_nonblocking"};
  Job theirs = stengel_job(options.seconds / 2, by_hand);
  theirs.environment.emplace_back(variable, "1");
  const Job ours = stengel_job(options.seconds / 2, {"hand", "hand_nonblocking", "comm_thread"});
  Measured with, without;
  for (int turn = 0; turn < 2; ++turn) {
    Measured one, other;
    if (!try_run(nodes, library, ours, one) || !try_run(nodes, library, theirs, other)) return 0;
    append(one, without);
    append(other, with);
  }
  print_table(fmt::format("(c) Stengel's nodes, {}", library.name), without,
              {"hand", "hand_nonblocking", "comm_thread"});
  print_table(fmt::format("(c) the same with {}=1", variable), with, by_hand);
  std::fflush(stdout);
  return median_s(with, fastest(with, by_hand)) / median_s(without, "comm_thread");
}

void progress_of_the_libraries(Nodes& nodes, const Options& options, Figures& figures) {
  nodes.set_rate(680);
  for (const Library& library : libraries) {
    if (library.family == Family::mpich)
      figures.over_mpich_progress = own_progress(nodes, library, options, "MPICH_ASYNC_PROGRESS");
    else if (library.family == Family::intel)
      figures.over_intel_progress = own_progress(nodes, library, options, "I_MPI_ASYNC_PROGRESS");
    else
      fmt::print("\n(c) {}: the library has no asynchronous progress\n", library.name);
  }
}

/// The number of other processes on each core; a rank gets its share of the core with any schedule.
constexpr int kBusyProcesses = 4;

/// Prints means and the least time of a step with its share of a core.
/// @return that least time
double print_share(const Measured& measured, const std::string& name) {
  const Mean mean = measured.means.at(name);
  const double least_s = (kBusyProcesses + 1) * mean.cpu_s;
  fmt::print(
      "  mean: {:.2f} ms by hand, {:.2f} ms with {}, which takes {:.2f} ms of CPU time;\n"
      "  with a fifth of a core that needs at least {:.2f} ms\n",
      1e3 * measured.means.at("hand").s, 1e3 * mean.s, name, 1e3 * mean.cpu_s, 1e3 * least_s);
  return least_s;
}

void busy_nodes(Nodes& nodes, const Options& options, Figures& figures) {
  nodes.set_rate(1000);
  const auto contenders = with_schedules({"hand"}, Job{}.threads);
  const BusyProcesses others(kBusyProcesses);
  for (const int cells : {120, 60}) {
    for (const Library& library : libraries) {
      Job job;
      job.cells = cells;
      job.budget_s = 2 * options.seconds;
      job.single_steps = true;
      job.contenders = contenders;
      Measured measured;
      if (!try_run(nodes, library, job, measured)) continue;
      show(fmt::format("(d) Jacobi {}^3 per node, {} busy processes per core, {}; single steps",
                       cells, kBusyProcesses, library.name),
           measured, options, contenders);
      const double least_s = print_share(measured, "comm_thread");
      // Tens of short steps run between two turns of the others, so their median means nothing.
      if (cells != 120) {
        figures.busy_small_gains.push_back(measured.means.at("hand").s /
                                           measured.means.at("comm_thread").s);
        continue;
      }
      const double hand_s = median_s(measured, "hand");
      const double gain = hand_s / median_s(measured, fastest(measured, plain_schedules()));
      figures.busy_gains.push_back(gain);
      if (library.family != Family::openmpi4) continue;
      figures.busy_gain_of_openmpi4 = gain;
      figures.busy_bound_of_openmpi4 = hand_s / least_s;
    }
  }
}

void print_result(const char* name, const std::vector<double>& values, bool largest,
                  const char* unit) {
  if (values.empty()) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  fmt::print("RESULT {} {:.3f} {}\n", name, largest ? *high : *low, unit);
}

void print_results(const Figures& figures) {
  fmt::print("\nFigures are the worst of all MPI libraries, networks and sizes.\n");
  print_result("overlap_gain", figures.gains, false, "ratio");
  print_result("overlap_efficiency", figures.efficiencies, false, "fraction");
  print_result("overlap_automatic_worst", figures.automatic_over_blocking, true, "ratio");
  print_result("overlap_automatic_worst_low", figures.automatic_certainly, true, "ratio");
  if (figures.cells > 0)
    fmt::print("RESULT overlap_automatic_picks {:.3f} fraction\n",
               static_cast<double>(figures.picked) / figures.cells);
  if (!figures.model_errors.empty())
    fmt::print("RESULT overlap_model_error {:.3f} fraction\n", median(figures.model_errors));
  if (figures.over_mpich_progress > 0)
    fmt::print("RESULT overlap_over_mpich_progress {:.2f} ratio\n", figures.over_mpich_progress);
  if (figures.over_intel_progress > 0)
    fmt::print("RESULT overlap_over_intel_progress {:.2f} ratio\n", figures.over_intel_progress);
  if (figures.busy_gain_of_openmpi4 > 0)
    fmt::print(
        "RESULT overlap_oversubscribed_gain {:.3f} ratio\n"
        "RESULT overlap_oversubscribed_bound {:.3f} ratio\n",
        figures.busy_gain_of_openmpi4, figures.busy_bound_of_openmpi4);
  print_result("overlap_oversubscribed_gain_worst", figures.busy_gains, false, "ratio");
  print_result("overlap_oversubscribed_small_gain_worst", figures.busy_small_gains, false, "ratio");
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--seconds" && i + 1 < argc)
      options.seconds = std::atof(argv[++i]);
    else if (word == "--explain")
      options.explain = true;
    else if (word.size() == 1 && word >= "a" && word <= "d")
      options.parts += word;
    else
      throw Error(std::string(word), "unknown argument",
                  "usage: overlap [a] [b] [c] [d] [--seconds S] [--explain]");
  }
  if (options.parts.empty()) options.parts = "abcd";
  return options;
}

int run(const Options& options) {
  Nodes nodes("overlap", 2, 1000);
  Figures figures;
  const auto wanted = [&](char part) { return options.parts.find(part) != std::string::npos; };
  if (wanted('a')) real_computation(nodes, options, figures);
  if (wanted('b')) stengels_nodes(nodes, options, figures);
  if (wanted('c')) progress_of_the_libraries(nodes, options, figures);
  if (wanted('d')) busy_nodes(nodes, options, figures);
  print_results(figures);
  return 0;
}

}  // namespace
}  // namespace plait::bench

int main(int argc, char** argv) {
  return plait::bench::benchmark_main(
      [&] { return plait::bench::run(plait::bench::read_options(argc, argv)); });
}
