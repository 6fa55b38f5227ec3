// SPDX-License-Identifier: BSD-3-Clause
// Compares the transports of Transpose with each other, with a copy of the slabs, with a transpose
// by hand and, where they are installed, with FFTW-MPI and mpi4py-fft, within a node.
//
// Usage: transpose [--ranks P] [--threads T] [--rounds R] [N...]
//   P: ranks (default: 2); T: OpenMP threads per rank (default: 1); R: interleaved rounds per table
//   (default: 30); N: slabs of (N/2 + 1) x N x N complex numbers (default: 64 96 128)
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "../benchmark_main.hpp"
#include "../overlap/ratio.hpp"
#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

struct Library {
  std::string name, launcher, program;
  std::vector<std::string> further{};  ///< another program with the same arguments and output
};

const std::vector<Library> libraries = {
#include "cases.inc"
};

struct Options {
  int ranks = 2;
  int threads = 1;
  int rounds = 30;
  std::vector<int> sizes;
};

using Samples = std::map<std::string, std::vector<double>>;

/// What was measured with one library and size.
struct Table {
  Samples samples;
  std::vector<double> over_best;  ///< of automatic, of each run of the measured program
};

/// The largest ratio of all tables, by RESULT name.
using Worst = std::map<std::string, double>;

/// Of those of the names that have samples; 0: none has.
double least(const Samples& samples, const std::vector<std::string>& names) {
  double least_s = 0;
  for (const std::string& name : names) {
    const auto found = samples.find(name);
    if (found == samples.end()) continue;
    const double s = *std::ranges::min_element(found->second);
    if (least_s == 0 || s < least_s) least_s = s;
  }
  return least_s;
}

/// Adds the samples that a program prints. The samples of automatic and those of the transport that
/// it chose are times of the same transport in other memory, so the better ones count.
void run_program(const Library& library, const std::vector<std::string>& program,
                 const Options& options, int size, int rounds, Table& table) {
  std::vector<std::string> command{library.launcher, "-n", std::to_string(options.ranks)};
  if (library.name == "openmpi") {
    command.insert(command.end(), {"--oversubscribe", "--bind-to", "none"});
  }
  command.insert(command.end(), program.begin(), program.end());
  command.insert(command.end(), {std::to_string(size), std::to_string(rounds)});
  const auto result = run_command(command, std::chrono::seconds(300), {},
                                  {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                   {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                   {"OMP_NUM_THREADS", std::to_string(options.threads)}});
  if (result.exit_code != 0) throw Error(program.back(), "the measured program failed", result.err);
  Samples samples;
  std::string chosen;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string what, name;
    fields >> what >> name;
    if (what == "chosen") chosen = name;
    if (what != "sample") continue;
    for (double s = 0; fields >> s;) samples[name].push_back(s);
  }
  for (const auto& [name, times] : samples) {
    auto& all = table.samples[name];
    all.insert(all.end(), times.begin(), times.end());
  }
  if (chosen.empty()) return;
  table.over_best.push_back(
      least(samples, {"automatic", chosen}) /
      least(samples, {"alltoallv", "alltoallw", "point_to_point", "shared_memory"}));
}

/// Two programs cannot take turns in each round, so their batches of rounds alternate. Each batch
/// has other memory, on which times depend.
Table measure(const Library& library, const Options& options, int size) {
  constexpr int kMostBatches = 5;
  const int batches = std::min(kMostBatches, options.rounds);
  Table table;
  for (int batch = 0; batch < batches; ++batch) {
    const int rounds = options.rounds * (batch + 1) / batches - options.rounds * batch / batches;
    run_program(library, {library.program}, options, size, rounds, table);
    if (library.further.empty()) continue;
    run_program(library, library.further, options, size, rounds, table);
  }
  return table;
}

void print_table(const Library& library, const Options& options, int size, const Samples& samples) {
  fmt::print("\n{} x {} x {} complex numbers on {} x {} threads of {}, {} rounds\n", size / 2 + 1,
             size, size, options.ranks, options.threads, library.name, options.rounds);
  fmt::print("{:<24} {:>10} {:>10}   over packed (95 % interval)\n", "", "least", "median");
  for (const auto& [name, times] : samples) {
    const MedianInterval ratio = ratio_interval(times, samples.at("packed"));
    fmt::print("{:<24} {:>7.3f} ms {:>7.3f} ms   {:.2f} ({:.2f} to {:.2f})\n", name,
               1e3 * least(samples, {name}), 1e3 * median(times), ratio.median, ratio.low,
               ratio.high);
  }
  std::fflush(stdout);
}

void add(Worst& worst, const std::string& name, double above, double below) {
  if (above > 0 && below > 0) worst[name] = std::max(worst[name], above / below);
}

/// Least times are compared, because other programs only add to times.
void judge(const Table& table, int size, Worst& worst) {
  const Samples& samples = table.samples;
  constexpr int smallest_for_packed = 96;
  const double automatic = least(samples, {"automatic"});
  add(worst, "transpose_over_best", median(table.over_best), 1);
  if (size >= smallest_for_packed) {
    add(worst, "transpose_over_packed", automatic, least(samples, {"packed"}));
  }
  add(worst, "transpose_over_fftw_mpi", automatic, least(samples, {"fftw_transpose"}));
  add(worst, "transpose_over_bound", automatic, least(samples, {"bound"}));
  add(worst, "transpose_over_mpi4py_fft", automatic, least(samples, {"mpi4py_fft"}));
  add(worst, "fft3d_over_mpi4py_fft", least(samples, {"fft3d"}),
      least(samples, {"mpi4py_fft_3d", "mpi4py_fft_3d_collapsed"}));
  add(worst, "fft3d_over_fftw_mpi", least(samples, {"fft3d"}), least(samples, {"fftw_3d"}));
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    if (text == "--ranks" && i + 1 < argc) {
      options.ranks = std::atoi(argv[++i]);
    } else if (text == "--threads" && i + 1 < argc) {
      options.threads = std::atoi(argv[++i]);
    } else if (text == "--rounds" && i + 1 < argc) {
      options.rounds = std::atoi(argv[++i]);
    } else if (std::atoi(argv[i]) > 0) {
      options.sizes.push_back(std::atoi(argv[i]));
    } else {
      throw Error(argv[i], "unknown argument",
                  "usage: transpose [--ranks P] [--threads T] [--rounds R] [N...]");
    }
  }
  if (options.sizes.empty()) options.sizes = {64, 96, 128};
  return options;
}

int run(const Options& options) {
  Worst worst;
  for (const Library& library : libraries) {
    for (const int size : options.sizes) {
      const Table table = measure(library, options, size);
      print_table(library, options, size, table.samples);
      judge(table, size, worst);
    }
  }
  fmt::print("\nFigures are the worst of all MPI libraries and sizes.\n");
  for (const auto& [name, ratio] : worst) fmt::print("RESULT {} {:.3f} ratio\n", name, ratio);
  return 0;
}

}  // namespace
}  // namespace plait::bench

int main(int argc, char** argv) {
  return plait::bench::benchmark_main(
      [&] { return plait::bench::run(plait::bench::read_options(argc, argv)); });
}
