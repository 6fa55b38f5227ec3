// SPDX-License-Identifier: BSD-3-Clause
// Reads the command line of plait-lu, and lists the runs that it asks for.
#include "options.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "command_line.hpp"
#include "hpl_dat.hpp"

namespace plait::lu {
namespace {

/// The values of options as text.
struct Input {
  std::string size = "2000", block = "128", grid, order = "row", schedule = "mpi", threads;
  std::string pivoting = "partial", matrix = "random", seed = "1", broadcast = "ring-modified";
  std::string swap = "mix", swap_threshold = "64", look_ahead = "1", grain = "0";
};

int read_count(const std::string& option, const std::string& text, int least) {
  return read_number<int>(option, text, least, 10'000'000);
}

void read_grid(const std::string& text, RunOptions& run) {
  run.process_rows = 0;
  if (text.empty()) return;
  const std::size_t cross = text.find('x');
  if (cross == std::string::npos) throw Error("--grid " + text, "invalid value", "use PxQ: 2x4");
  run.process_rows = read_count("--grid", text.substr(0, cross), 1);
  run.process_columns = read_count("--grid", text.substr(cross + 1), 1);
}

void read_values(const Input& input, Options& options) {
  RunOptions& run = options.run;
  FactorizationOptions& factorization = run.factorization;
  run.problem.size = read_count("--size", input.size, 1);
  factorization.block = read_count("--block", input.block, 1);
  read_grid(input.grid, run);
  run.order =
      read_name<RankOrder>("--order", input.order, std::array<const char*, 2>{"row", "column"});
  options.all_schedules = input.schedule == "all";
  if (!options.all_schedules) {
    run.schedule = read_name<ScheduleKind>("--schedule", input.schedule, kScheduleNames);
  }
  factorization.threads = read_threads(input.threads);
  factorization.pivoting = read_name<Pivoting>("--pivoting", input.pivoting,
                                               std::array<const char*, 2>{"partial", "none"});
  if (input.matrix == "dominant") {
    run.problem.kind = MatrixKind::dominant;
  } else if (input.matrix != "random") {
    run.problem.kind = MatrixKind::file;
    run.problem.file = input.matrix;
  }
  run.problem.seed = read_number<std::uint64_t>("--seed", input.seed, 0,
                                                std::numeric_limits<std::uint32_t>::max());
  factorization.broadcast =
      read_name<BroadcastKind>("--broadcast", input.broadcast, kBroadcastNames);
  factorization.swap = read_name<SwapKind>("--swap", input.swap, kSwapNames);
  factorization.swap_threshold = read_count("--swap-threshold", input.swap_threshold, 0);
  factorization.look_ahead = read_number<int>("--look-ahead", input.look_ahead, 0, 1) == 1;
  factorization.grain = read_count("--grain", input.grain, 0);
}

CommandSyntax syntax_of(Input& input, Options& options) {
  CommandSyntax syntax{
      "plait-lu",
      "Solve a random dense system by LU factorization, as HPL does, in any parallel model. All "
      "models give the same bits.",
      {{"System",
        {{"--size", "N", &input.size, "Equations (default: 2000)"},
         {"--matrix", "KIND", &input.matrix,
          "random, dominant (diagonally dominant), or a file of raw doubles: the columns of A, "
          "then b (default: random)"},
         {"--seed", "SEED", &input.seed, "Seed of random entries (default: 1)"}}},
       {"Distribution",
        {{"--grid", "PxQ", &input.grid,
          "Process rows and columns (default: all ranks, P <= Q, as square as possible)"},
         {"--order", "ORDER", &input.order,
          "row or column: how ranks are numbered in the grid (default: row)"},
         {"--block", "NB", &input.block, "Rows and columns of a block (default: 128)"}}},
       {"Execution",
        {{"--schedule", "NAME", &input.schedule,
          "mpi (one thread per rank), pc (threads; communication outside of parallel regions), tc "
          "(one thread communicates while others compute), or all: compare their bits (default: "
          "mpi)"},
         {"--threads", "N", &input.threads,
          "OpenMP threads per rank for pc and tc (default: OMP_NUM_THREADS, else 1)"},
         {"--pivoting", "KIND", &input.pivoting,
          "partial, or none for diagonally dominant matrices (default: partial)"},
         {"--broadcast", "NAME", &input.broadcast,
          "ring, ring-modified, 2-ring, 2-ring-modified, long or long-modified (default: "
          "ring-modified)"},
         {"--swap", "NAME", &input.swap,
          "binary, long or mix: how rows are exchanged (default: mix)"},
         {"--swap-threshold", "COLUMNS", &input.swap_threshold,
          "Columns up to which mix is binary (default: 64)"},
         {"--look-ahead", "DEPTH", &input.look_ahead,
          "0, or 1: factor the next panel during the update; tc always does (default: 1)"},
         {"--grain", "N", &input.grain,
          "Rows and columns of the matrix that one product updates (default: 0, 512 columns and up "
          "to 2048 rows)"},
         {"--hpl", "FILE", &options.hpl_file,
          "Run all cases of an HPL.dat, and print HPL's result lines"}}},
       {"Results",
        {{"--json", "FILE", &options.json, "Write the results as JSON"},
         {"--dgemm", nullptr, &options.dgemm,
          "Measure the rate of the BLAS's DGEMM before and after the run"}}}},
      {}};
  for (const char* name : {"--size", "--grid", "--order", "--block", "--broadcast", "--swap",
                           "--swap-threshold", "--look-ahead"}) {
    syntax.exclusions.push_back({name, "--hpl"});
  }
  return syntax;
}

/// P <= Q with P x Q = ranks and P as large as possible.
void choose_grid(int ranks, RunOptions& run) {
  for (int rows = 1; rows * rows <= ranks; ++rows) {
    if (ranks % rows == 0) run.process_rows = rows;
  }
  run.process_columns = ranks / run.process_rows;
}

void check_grid(const RunOptions& run, int ranks) {
  const auto needed = static_cast<std::int64_t>(run.process_rows) * run.process_columns;
  if (needed <= ranks) return;
  throw Error(
      "grid " + std::to_string(run.process_rows) + "x" + std::to_string(run.process_columns),
      "needs " + std::to_string(needed) + " ranks, and there are " + std::to_string(ranks),
      "start more ranks or use a smaller grid");
}

/// The cases of HPL.dat, in the order of HPL.
std::vector<RunOptions> hpl_runs(const Options& options) {
  const HplInput input = read_hpl_dat(options.hpl_file);
  RunOptions run = options.run;
  run.order = input.column_major ? RankOrder::column_major : RankOrder::row_major;
  run.threshold = input.threshold;
  run.factorization.swap = static_cast<SwapKind>(input.swap);
  run.factorization.swap_threshold = input.swap_threshold;
  std::vector<RunOptions> runs;
  for (const auto& [rows, columns] : input.grids) {
    for (const int size : input.sizes) {
      for (const int block : input.blocks) {
        for (const int broadcast : input.broadcasts) {
          for (const int depth : input.depths) {
            run.process_rows = rows;
            run.process_columns = columns;
            run.problem.size = size;
            run.factorization.block = block;
            run.factorization.broadcast = static_cast<BroadcastKind>(broadcast);
            run.factorization.look_ahead = depth == 1;
            runs.push_back(run);
          }
        }
      }
    }
  }
  return runs;
}

}  // namespace

std::vector<std::vector<RunOptions>> runs_of(const Options& options, int ranks) {
  std::vector<RunOptions> runs;
  if (!options.hpl_file.empty()) {
    runs = hpl_runs(options);
  } else {
    runs.push_back(options.run);
    if (options.run.process_rows == 0) choose_grid(ranks, runs.front());
  }
  std::vector<std::vector<RunOptions>> all;
  for (RunOptions& run : runs) {
    check_grid(run, ranks);
    // A larger block is the whole matrix, and would only take memory.
    run.factorization.block = std::min(run.factorization.block, run.problem.size + 1);
    std::vector<RunOptions>& same = all.emplace_back();
    for (const ScheduleKind kind : {ScheduleKind::mpi, ScheduleKind::pc, ScheduleKind::tc}) {
      if (!options.all_schedules && kind != run.schedule) continue;
      same.push_back(run);
      same.back().schedule = kind;
    }
  }
  return all;
}

CommandLine<Options> read_command_line(int argc, char** argv) {
  CommandLine<Options> command;
  Input input;
  parse_command_line(syntax_of(input, command.options), argc, argv, command,
                     [&] { read_values(input, command.options); });
  return command;
}

}  // namespace plait::lu
