// SPDX-License-Identifier: BSD-3-Clause
// Reads the command line of plait-cg.
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace plait::cg {
namespace {

/// The values of options as text.
struct Input {
  std::string nas, matrix, schedule = "mpi", threads, kernel = "automatic", grain = "2048";
  std::string before = "0", tolerance = "1e-10", iterations = "10000", preconditioner = "jacobi";
  std::string partition = "entries";
};

template <class Number>
Number read_number(const std::string& option, const std::string& text, Number least, Number most) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || !(number >= least) || !(number <= most)) {
    std::ostringstream range;
    range << "use a number from " << least << " to " << most;
    throw Error(option + " " + text, "invalid value", range.str());
  }
  return number;
}

/// The place of a name in a list.
template <std::size_t count>
int read_name(const std::string& option, const std::string& text,
              const std::array<const char*, count>& names) {
  std::string accepted;
  for (std::size_t i = 0; i < count; ++i) {
    if (text == names[i]) return static_cast<int>(i);
    accepted += std::string(i == 0 ? "" : i + 1 == count ? " or " : ", ") + names[i];
  }
  throw Error(option + " " + text, "invalid value", "use " + accepted);
}

int read_threads(const std::string& text) {
  if (!text.empty()) return read_number<int>("--threads", text, 1, 1024);
  const char* set = std::getenv("OMP_NUM_THREADS");
  const int threads = set == nullptr ? 1 : std::atoi(set);
  return threads > 0 ? threads : 1;
}

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
    nas.model = static_cast<Model>(read_name("--schedule", input.schedule, kModelNames));
    if (!options.from_file() && nas.model > Model::tc) {
      throw Error("--schedule " + input.schedule, "not for --class", "use mpi, pc or tc");
    }
    system.model = nas.model;
  }
  nas.threads = system.threads = read_threads(input.threads);
  nas.kernel = system.kernel = static_cast<SparseKernel>(read_name(
      "--kernel", input.kernel, std::array<const char*, 4>{"automatic", "crs", "split", "sell"}));
  nas.grain_rows = system.grain_rows = read_number<int>("--grain", input.grain, 1, 65536);
  nas.grains_before = input.before == "automatic"
                          ? -1
                          : read_number<int>("--grains-before", input.before, 0, 1'000'000);
  system.tolerance = read_number<double>("--tolerance", input.tolerance, 0, 1);
  system.most_iterations =
      read_number<int>("--iterations", input.iterations, 1, std::numeric_limits<int>::max());
  system.jacobi = read_name("--preconditioner", input.preconditioner,
                            std::array<const char*, 2>{"none", "jacobi"}) == 1;
  system.partition =
      static_cast<PartitionKind>(read_name("--partition", input.partition, kPartitionNames));
}

struct Entry {
  const char* name;
  const char* value;
  std::string* target;
  const char* help;
};

void declare(CLI::App& app, Input& input, Options& options) {
  const auto group = [&](const char* title, const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) {
      app.add_option(entry.name, *entry.target, entry.help)->type_name(entry.value)->group(title);
    }
  };
  group("NAS benchmark", {{"--class", "NAME", &input.nas, "S, W, A, B or C"}});
  group("System",
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
         {"--solution", "FILE", &options.system.solution, "Write x, one number per line"}});
  group("Execution",
        {{"--schedule", "NAME", &input.schedule,
          "mpi (one thread per rank), pc (threads; communication outside of parallel regions), tc "
          "(one thread communicates while others compute); for a matrix also nonblocking and "
          "automatic; or all: compare their bits (default: mpi)"},
         {"--threads", "N", &input.threads,
          "OpenMP threads per rank, except for mpi (default: OMP_NUM_THREADS, else 1)"},
         {"--kernel", "NAME", &input.kernel,
          "How the matrix is stored: crs, split (blocks of columns), sell, or automatic (default: "
          "automatic)"},
         {"--grain", "ROWS", &input.grain,
          "Rows that tc computes and sends at a time (default: 2048)"},
         {"--grains-before", "N", &input.before,
          "Grains that tc computes before it communicates, or automatic: from the times of the "
          "product before (default: 0)"}});
  group("Results", {{"--json", "FILE", &options.json, "Write the results as JSON"}});
  app.add_flag("--bandwidth", options.bandwidth,
               "Measure the memory bandwidth before and after, and print the fraction reached")
      ->group("Results");
  app.add_flag("--compare-kernels", options.compare_kernels,
               "Measure the local product with each storage, with --class")
      ->group("Results");
  app.get_option("matrix")->excludes(app.get_option("--class"));
  for (const char* name :
       {"--rhs", "--tolerance", "--iterations", "--preconditioner", "--partition", "--solution"}) {
    app.get_option(name)->excludes(app.get_option("--class"));
  }
  app.get_option("--compare-kernels")->needs(app.get_option("--class"));
}

}  // namespace

std::vector<Model> models_of(const Options& options) {
  if (!options.all_models) return {options.from_file() ? options.system.model : options.nas.model};
  std::vector<Model> models{Model::mpi, Model::pc, Model::tc};
  if (options.from_file()) {
    models.push_back(Model::nonblocking);
    models.push_back(Model::automatic);
  }
  return models;
}

CommandLine read_command_line(int argc, char** argv) {
  CommandLine command;
  Input input;
  CLI::App app{
      "Run the NAS CG benchmark, or solve a symmetric positive definite system by conjugate "
      "gradients, in any parallel model. All models give the same bits.",
      "plait-cg"};
  app.set_version_flag("--version", "plait-cg " PLAIT_VERSION);
  declare(app, input, command.options);
  try {
    app.parse(argc, argv);
    read_values(input, command.options);
  } catch (const CLI::CallForHelp&) {
    command.text = app.help();
  } catch (const CLI::CallForVersion&) {
    command.text = "plait-cg " PLAIT_VERSION "\n";
  } catch (const CLI::ParseError& error) {
    command.error.emplace("command line", error.what(), "see --help");
  } catch (const Error& error) {
    command.error.emplace(error);
  }
  return command;
}

}  // namespace plait::cg
