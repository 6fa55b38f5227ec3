// SPDX-License-Identifier: BSD-3-Clause
// Reads the command line of plait-jacobi.
#include "options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "command_line.hpp"
#include "numbers.hpp"

namespace plait::jacobi {
namespace {

/// A pass needs as many ghost layers as it has sweeps; far fewer than these fill the caches.
constexpr int most_sweeps_per_pass = 256;

/// The values of options as text.
struct Input {
  std::string size, per_rank, ranks, map, problem, boundary, source, schedule, blocks, order,
      transport, packing, stores, thread_level, until, scaling;
  std::string threads, steps, check_every, checkpoint_every, temporal;
};

void read_count(const std::string& option, const std::string& text, int least, int& count) {
  if (text.empty()) return;
  count = plait::read_number<int>(option, text, least, std::numeric_limits<int>::max());
}

template <class Value>
using Names = std::vector<std::pair<std::string, Value>>;

template <class Value>
void read_name(const std::string& option, const std::string& text, const Names<Value>& names,
               Value& value) {
  if (text.empty()) return;
  std::vector<const char*> known;
  for (const auto& [name, meaning] : names) known.push_back(name.c_str());
  value = names[plait::read_name(option, text, known)].second;
}

void read_grid(const Input& input, Options& options) {
  if (!input.size.empty()) options.cells = read_extents("--size", input.size, 1);
  if (!input.per_rank.empty()) {
    options.cells = read_extents("--per-rank", input.per_rank, 1);
    options.cells_are_per_rank = true;
  }
  options.cells_given = !input.size.empty() || !input.per_rank.empty();
  if (!input.ranks.empty()) options.grid.ranks = read_extents("--ranks", input.ranks, 0);
  Names<RankMap> maps;
  for (const RankMap map : {RankMap::automatic, RankMap::row_major, RankMap::mpi,
                            RankMap::node_blocked, RankMap::portfolio}) {
    maps.emplace_back(to_string(map), map);
  }
  read_name("--map", input.map, maps, options.grid.map);
  options.threads = read_threads(input.threads);
}

void read_problem(const Input& input, Options& options) {
  if (!input.boundary.empty()) {
    options.boundary = Boundary::parse(input.boundary);
    options.boundary_given = true;
  }
  if (!input.problem.empty()) {
    options.problem = parse_problem(input.problem);
    options.problem_given = true;
  } else if (options.boundary.any_value() || !input.source.empty()) {
    options.problem = ProblemKind::given;
    options.problem_given = true;
  }
  if (input.source.empty()) return;
  if (options.problem != ProblemKind::given) {
    throw Error("--source " + input.source,
                "--problem " + to_string(options.problem) + " has its own right-hand side",
                "use --problem given");
  }
  if (!read_number(input.source, options.source)) {
    options.source_file = input.source;
  } else if (!std::isfinite(options.source)) {
    throw refusal("--source", input.source, "a finite number or a file");
  }
}

void read_iteration(const Input& input, Options& options) {
  if (!input.until.empty()) {
    if (!read_number(input.until, options.until) || !(options.until > 0.0) ||
        !std::isfinite(options.until)) {
      throw refusal("--until", input.until, "a number above 0, such as 1e-6");
    }
    options.steps = std::numeric_limits<int>::max();
  }
  read_count("--steps", input.steps, 1, options.steps);
  read_count("--check-every", input.check_every, 1, options.check_every);
  read_count("--checkpoint-every", input.checkpoint_every, 1, options.checkpoint_every);
  if (options.checkpoint_every != 0 && options.checkpoint.empty()) {
    throw Error("--checkpoint-every", "no file given", "add --checkpoint FILE");
  }
}

void read_run(const Input& input, Options& options) {
  options.schedule =
      input.schedule.empty() ? Schedule::from_environment() : Schedule::parse(input.schedule);
  if (!input.blocks.empty()) options.schedule.block = read_extents("--blocks", input.blocks, 0);
  read_name("--order", input.order, {{"step", Order::step}, {"advance", Order::advance}},
            options.order);
  if (!input.transport.empty()) options.transport = parse_transport(input.transport);
  if (!input.packing.empty()) options.packing = parse_packing(input.packing);
  read_count("--temporal", input.temporal, 1, options.temporal);
  if (options.temporal > most_sweeps_per_pass) {
    throw refusal("--temporal", input.temporal,
                  "at most " + std::to_string(most_sweeps_per_pass) + " sweeps, such as 8 or 16");
  }
  options.temporal = std::min(options.temporal, options.steps);
  read_name(
      "--stores", input.stores,
      {{"auto", Stores::automatic}, {"cached", Stores::cached}, {"streaming", Stores::streaming}},
      options.stores);
  read_name("--thread-level", input.thread_level,
            {{"single", ThreadLevel::single},
             {"funneled", ThreadLevel::funneled},
             {"serialized", ThreadLevel::serialized},
             {"multiple", ThreadLevel::multiple}},
            options.thread_level);
  read_name("--scaling", input.scaling, {{"strong", Scaling::strong}, {"weak", Scaling::weak}},
            options.scaling);
  if (options.temporal > 1 && !input.schedule.empty()) {
    throw Error("--schedule " + input.schedule,
                "has no effect with --temporal, which exchanges before each pass",
                "leave out --schedule or --temporal");
  }
  if (options.temporal > 1 && options.stores == Stores::streaming) {
    throw Error("--stores streaming", "temporal blocking needs values to stay in the caches",
                "leave out --stores or --temporal");
  }
  if ((options.scaling != Scaling::none || options.check_all) &&
      (!options.restart.empty() || !options.checkpoint.empty() || !options.output.empty())) {
    throw Error("--checkpoint, --restart, --output", "not available for a series of runs",
                "leave out --scaling and --check-all");
  }
}

std::vector<OptionGroup> option_groups(Input& input, Options& options) {
  return {
      {"Grid",
       {{"--size", "NXxNYxNZ", &input.size, "Cells along x, y, z (default: 256x256x256)"},
        {"--per-rank", "NXxNYxNZ", &input.per_rank, "Cells per rank instead (weak scaling)"},
        {"--ranks", "PXxPYxPZ", &input.ranks,
         "Ranks along x, y, z; 0: chosen (default: fewest cells between nodes, then between "
         "ranks)"},
        {"--map", "MAP", &input.map,
         "Which rank gets which box: automatic, row_major, mpi, node_blocked or portfolio "
         "(default: automatic)"},
        {"--threads", "N", &input.threads,
         "OpenMP threads per rank (default: OMP_NUM_THREADS, else 1)"}}},
      {"Problem",
       {{"--problem", "NAME", &input.problem,
         "laplace, harmonic, poisson or given; list describes them (default: laplace)"},
        {"--boundary", "SIDES", &input.boundary,
         "static, static=VALUE, neumann or periodic, once for all sides or as X,Y,Z, each "
         "optionally as LOW:HIGH (default: static)"},
        {"--source", "F", &input.source,
         "Right-hand side f of Laplacian(u) = f for --problem given: a number or a file"},
        {"--initial", "FILE", &options.initial,
         "First guess: noise, zero or a file (default: noise; zero for --problem given)"}}},
      {"Iteration",
       {{"--steps", "N", &input.steps,
         "Stop after this many steps, including those before a restart (default: 100; no limit "
         "with --until)"},
        {"--until", "CHANGE", &input.until,
         "Stop once no cell changes by more than this in a step"},
        {"--check-every", "N", &input.check_every,
         "Steps between two tests of --until; a test runs during the next step (default: 10)"},
        {"--checkpoint", "FILE", &options.checkpoint, "Write a checkpoint for --restart"},
        {"--checkpoint-every", "N", &input.checkpoint_every,
         "Steps between two checkpoints (default: one after the last step)"},
        {"--restart", "FILE", &options.restart,
         "Continue from a checkpoint, with its grid, problem and sides"}}},
      {"Execution",
       {{"--schedule", "NAME", &input.schedule,
         "blocking, nonblocking, polled, comm_thread, tasks, grains, partitioned or automatic "
         "(default: PLAIT_SCHEDULE, else automatic); accepts options, as in "
         "comm_thread,wait=sleep,poll=100us"},
        {"--blocks", "BXxBYxBZ", &input.blocks, "Cells of a block along x, y, z; 0: chosen"},
        {"--order", "ORDER", &input.order,
         "step: exchange first; advance: boundary cells first (default: step)"},
        {"--transport", "NAME", &input.transport,
         "automatic, point_to_point, persistent, neighborhood or shared_memory (default: "
         "automatic)"},
        {"--packing", "NAME", &input.packing,
         "automatic, threads or datatypes (default: automatic)"},
        {"--temporal", "K", &input.temporal,
         "Sweeps per pass through memory, with K ghost layers (default: 1)"},
        {"--stores", "KIND", &input.stores,
         "auto, cached or streaming; auto uses the faster ones (default: auto)"},
        {"--thread-level", "LEVEL", &input.thread_level,
         "Thread level to request from MPI: single, funneled, serialized or multiple (default: "
         "serialized)"}}},
      {"Results",
       {{"--bound", nullptr, &options.bound,
         "Print the bound set by a plain copy of the fields, measured before and after the run"},
        {"--check", nullptr, &options.check,
         "Compare with the serial reference, bit for bit; exit with 1 if cells differ"},
        {"--check-all", nullptr, &options.check_all,
         "Check every schedule on 1 to all ranks with 1 to --threads threads"},
        {"--scaling", "KIND", &input.scaling,
         "strong or weak: print a table of runs on 1, 2, 4 and so on up to all ranks; weak uses "
         "--size per rank"},
        {"--explain", nullptr, &options.explain,
         "Print the costs of a step and the reason for the schedule"},
        {"--progress", nullptr, &options.progress,
         "Print progress lines to stderr (default: if stderr is a terminal)"},
        {"--output", "FILE", &options.output,
         "Write the field: HDF5 if FILE ends in .h5 or .hdf5, else raw doubles with x fastest"},
        {"--json", "FILE", &options.json, "Write the results as JSON"}}}};
}

}  // namespace

CommandLine<Options> read_command_line(int argc, char** argv) {
  CommandLine<Options> command;
  Options& options = command.options;
  Input input;
  const CommandSyntax syntax{
      "plait-jacobi",
      "Solve Laplace's or Poisson's equation on a 3D grid by Jacobi's method, in any parallel "
      "model. All models give the same bits.",
      option_groups(input, options),
      {{"--per-rank", "--size"}}};
  parse_command_line(syntax, argc, argv, command, [&] {
    if (input.problem == "list") {
      command.text = problem_list();
      return;
    }
    read_grid(input, options);
    read_problem(input, options);
    read_iteration(input, options);
    read_run(input, options);
  });
  return command;
}

}  // namespace plait::jacobi
