// SPDX-License-Identifier: BSD-3-Clause
// Reads the command line of plait-cg.
#include "options.hpp"

#include <array>
#include <limits>

#include "command_line.hpp"

namespace plait::cg {
namespace {

/// The values of options as text.
struct Input {
  std::string nas, matrix, schedule = "mpi", threads, kernel = "automatic", grain = "automatic";
  std::string before = "automatic", tolerance = "1e-10", iterations = "10000",
              preconditioner = "jacobi";
  std::string partition = "entries";
};

constexpr const char* kAutomatic = "automatic";

void read_values(const Input& input, Options& options) {
  NasOptions& nas = options.nas;
  SystemOptions& system = options.system;
  if (input.nas.empty() && input.matrix.empty()) {
    throw Error("command line", "neither a class nor a matrix",
                "give --class S or a Matrix Market file");
  }
  if (!input.nas.empty()) nas.problem = nas_class(input.nas);
  system.matrix = input.matrix;
  options.all_models = input.schedule == "all";
  if (!options.all_models) {
    nas.model = read_name<Model>("--schedule", input.schedule, kModelNames);
    if (!options.from_file() && nas.model > Model::spmd) {
      throw Error("--schedule " + input.schedule, "not for --class", "use mpi, pc, tc or spmd");
    }
    if (options.from_file() && nas.model == Model::spmd) {
      throw Error("--schedule spmd", "only with --class",
                  "use mpi, pc, tc, nonblocking or automatic");
    }
    system.model = nas.model;
  }
  nas.threads = system.threads = read_threads(input.threads);
  nas.kernel = system.kernel = read_name<SparseKernel>(
      "--kernel", input.kernel, std::array<const char*, 4>{"automatic", "crs", "split", "sell"});
  nas.grain_rows = system.grain_rows =
      input.grain == kAutomatic ? 0 : read_number<int>("--grain", input.grain, 1, 65536);
  nas.grains_before = input.before == kAutomatic
                          ? -1
                          : read_number<int>("--grains-before", input.before, 0, 1'000'000);
  system.tolerance = read_number<double>("--tolerance", input.tolerance, 0, 1);
  system.most_iterations =
      read_number<int>("--iterations", input.iterations, 1, std::numeric_limits<int>::max());
  system.jacobi = read_name<int>("--preconditioner", input.preconditioner,
                                 std::array<const char*, 2>{"none", "jacobi"}) == 1;
  system.partition = read_name<PartitionKind>("--partition", input.partition, kPartitionNames);
  if (options.compare_kernels && options.from_file()) {
    throw Error("--compare-kernels", "only with --class", "leave it out");
  }
}

CommandSyntax syntax_of(Input& input, Options& options) {
  CommandSyntax syntax{
      "plait-cg",
      "Run the NAS CG benchmark, or solve a symmetric positive definite system by conjugate "
      "gradients, in any parallel model. All models give the same bits.",
      {{"NAS benchmark", {{"--class", "NAME", &input.nas, "S, W, A, B or C"}}},
       {"System",
        {{"matrix", "FILE", &input.matrix, "Symmetric positive definite matrix (Matrix Market)"},
         {"--rhs", "FILE", &options.system.rhs,
          "Right-hand side: one number per line, or a Matrix Market array (default: ones)"},
         {"--tolerance", "RATIO", &input.tolerance,
          "Stop when the residual is this fraction of the right-hand side (default: 1e-10)"},
         {"--iterations", "N", &input.iterations, "Stop after this many (default: 10000)"},
         {"--preconditioner", "NAME", &input.preconditioner, "none or jacobi (default: jacobi)"},
         {"--partition", "NAME", &input.partition,
          "rows or entries (contiguous rows, equal numbers of them), or graph: fewest entries "
          "between ranks (default: entries)"},
         {"--solution", "FILE", &options.system.solution, "Write x, one number per line"}}},
       {"Execution",
        {{"--schedule", "NAME", &input.schedule,
          "mpi (one thread per rank), pc (threads; communication outside of parallel regions), tc "
          "(one thread communicates while others compute); for a class also spmd (one parallel "
          "region); for a matrix also nonblocking and automatic; or all: compare their bits "
          "(default: mpi)"},
         {"--threads", "N", &input.threads,
          "OpenMP threads per rank, except for mpi (default: OMP_NUM_THREADS, else 1)"},
         {"--kernel", "NAME", &input.kernel,
          "How the matrix is stored: crs, split (blocks of columns), sell, or automatic (default: "
          "automatic)"},
         {"--grain", "ROWS", &input.grain,
          "Rows that tc computes and sends at a time, or automatic: the fewest whose messages "
          "reach 90 % of the measured bandwidth (default: automatic)"},
         {"--grains-before", "N", &input.before,
          "Grains that tc computes before it communicates, or automatic: from the times of the "
          "product before (default: automatic)"}}},
       {"Results",
        {{"--json", "FILE", &options.json, "Write the results as JSON"},
         {"--bandwidth", nullptr, &options.bandwidth,
          "Measure the memory bandwidth by turns with the run, and print the fraction reached"},
         {"--compare-kernels", nullptr, &options.compare_kernels,
          "Measure the local product with each storage, with --class"}}}},
      {}};
  for (const char* name : {"matrix", "--rhs", "--tolerance", "--iterations", "--preconditioner",
                           "--partition", "--solution"}) {
    syntax.exclusions.push_back({name, "--class"});
  }
  return syntax;
}

}  // namespace

std::vector<Model> models_of(const Options& options) {
  if (!options.all_models) return {options.from_file() ? options.system.model : options.nas.model};
  std::vector<Model> models{Model::mpi, Model::pc, Model::tc};
  if (options.from_file()) {
    models.push_back(Model::nonblocking);
    models.push_back(Model::automatic);
  } else {
    models.push_back(Model::spmd);
  }
  return models;
}

CommandLine<Options> read_command_line(int argc, char** argv) {
  CommandLine<Options> command;
  Input input;
  parse_command_line(syntax_of(input, command.options), argc, argv, command,
                     [&] { read_values(input, command.options); });
  return command;
}

}  // namespace plait::cg
