// SPDX-License-Identifier: BSD-3-Clause
// The command line of plait-jacobi.
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "numbers.hpp"

namespace plait::jacobi {
namespace {

/// Ghosts are as deep as a pass has sweeps; far fewer than these fill the caches.
constexpr int most_sweeps_a_pass = 256;

/// What CLI11 reads before it is understood.
struct Words {
  std::string size, per_rank, ranks, map, problem, boundary, source, schedule, blocks, order,
      transport, packing, stores, thread_level, until, scaling;
  std::string threads, steps, check_every, checkpoint_every, temporal;
};

Error refusal(const std::string& option, const std::string& word, const std::string& accepted) {
  return {option + " " + word, "not understood", "give " + accepted};
}

void read_count(const std::string& option, const std::string& word, int least, int& count) {
  if (word.empty()) return;
  if (!read_number(word, count) || count < least) {
    throw refusal(option, word, "a whole number of " + std::to_string(least) + " or more");
  }
}

template <class Value>
using Names = std::vector<std::pair<std::string, Value>>;

template <class Value>
void read_name(const std::string& option, const std::string& word, const Names<Value>& names,
               Value& value) {
  if (word.empty()) return;
  std::string accepted;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].first == word) {
      value = names[i].second;
      return;
    }
    accepted += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i].first;
  }
  throw refusal(option, word, accepted);
}

int default_threads() {
  const char* set = std::getenv("OMP_NUM_THREADS");
  int threads = 0;
  // A list ("4,2") gives the threads of nested regions behind the comma.
  const std::string first =
      set != nullptr ? std::string(set).substr(0, std::string(set).find(',')) : "";
  return read_number(first, threads) && threads > 0 ? threads : 1;
}

void understand_grid(const Words& words, Options& options) {
  if (!words.size.empty()) options.cells = read_extents("--size", words.size, 1);
  if (!words.per_rank.empty()) {
    options.cells = read_extents("--per-rank", words.per_rank, 1);
    options.cells_are_per_rank = true;
  }
  options.cells_given = !words.size.empty() || !words.per_rank.empty();
  if (!words.ranks.empty()) options.grid.ranks = read_extents("--ranks", words.ranks, 0);
  Names<RankMap> maps;
  for (const RankMap map : {RankMap::automatic, RankMap::row_major, RankMap::mpi,
                            RankMap::node_blocked, RankMap::portfolio}) {
    maps.emplace_back(to_string(map), map);
  }
  read_name("--map", words.map, maps, options.grid.map);
  options.threads = default_threads();
  read_count("--threads", words.threads, 1, options.threads);
}

void understand_problem(const Words& words, Options& options) {
  if (!words.boundary.empty()) {
    options.boundary = Boundary::parse(words.boundary);
    options.boundary_given = true;
  }
  if (!words.problem.empty()) {
    options.problem = parse_problem(words.problem);
    options.problem_given = true;
  } else if (options.boundary.any_value() || !words.source.empty()) {
    options.problem = ProblemKind::given;
    options.problem_given = true;
  }
  if (words.source.empty()) return;
  if (options.problem != ProblemKind::given) {
    throw Error("--source " + words.source,
                "--problem " + to_string(options.problem) + " has a right-hand side of its own",
                "give --problem given");
  }
  if (!read_number(words.source, options.source)) {
    options.source_file = words.source;
  } else if (!std::isfinite(options.source)) {
    throw refusal("--source", words.source, "a finite number or a file");
  }
}

void understand_iteration(const Words& words, Options& options) {
  if (!words.until.empty()) {
    if (!read_number(words.until, options.until) || !(options.until > 0.0) ||
        !std::isfinite(options.until)) {
      throw refusal("--until", words.until, "a number above 0, as 1e-6");
    }
    options.steps = std::numeric_limits<int>::max();
  }
  read_count("--steps", words.steps, 1, options.steps);
  read_count("--check-every", words.check_every, 1, options.check_every);
  read_count("--checkpoint-every", words.checkpoint_every, 1, options.checkpoint_every);
  if (options.checkpoint_every != 0 && options.checkpoint.empty()) {
    throw Error("--checkpoint-every", "there is no file to write", "give --checkpoint FILE, too");
  }
}

void understand_run(const Words& words, Options& options) {
  options.schedule =
      words.schedule.empty() ? Schedule::from_environment() : Schedule::parse(words.schedule);
  if (!words.blocks.empty()) options.schedule.block = read_extents("--blocks", words.blocks, 0);
  read_name("--order", words.order, {{"step", Order::step}, {"advance", Order::advance}},
            options.order);
  if (!words.transport.empty()) options.transport = parse_transport(words.transport);
  if (!words.packing.empty()) options.packing = parse_packing(words.packing);
  read_count("--temporal", words.temporal, 1, options.temporal);
  if (options.temporal > most_sweeps_a_pass) {
    throw refusal("--temporal", words.temporal,
                  "at most " + std::to_string(most_sweeps_a_pass) + " sweeps, as 8 or 16");
  }
  options.temporal = std::min(options.temporal, options.steps);
  read_name(
      "--stores", words.stores,
      {{"auto", Stores::automatic}, {"cached", Stores::cached}, {"streaming", Stores::streaming}},
      options.stores);
  read_name("--thread-level", words.thread_level,
            {{"single", ThreadLevel::single},
             {"funneled", ThreadLevel::funneled},
             {"serialized", ThreadLevel::serialized},
             {"multiple", ThreadLevel::multiple}},
            options.thread_level);
  read_name("--scaling", words.scaling, {{"strong", Scaling::strong}, {"weak", Scaling::weak}},
            options.scaling);
  if (options.temporal > 1 && !words.schedule.empty()) {
    throw Error("--schedule " + words.schedule,
                "with --temporal the exchange stands before all sweeps of a pass",
                "leave one of the two out");
  }
  if (options.temporal > 1 && options.stores == Stores::streaming) {
    throw Error("--stores streaming", "temporal blocking lives on values that stay in the caches",
                "leave out --stores or --temporal");
  }
  if ((options.scaling != Scaling::none || options.check_all) &&
      (!options.restart.empty() || !options.checkpoint.empty() || !options.output.empty())) {
    throw Error("--checkpoint, --restart, --output", "a series of runs has no single field",
                "leave out --scaling and --check-all");
  }
}

void declare(CLI::App& app, Words& words, Options& options) {
  app.add_option("--size", words.size, "cells along x, y, z (default 256x256x256)")
      ->type_name("NXxNYxNZ")
      ->group("Grid");
  app.add_option("--per-rank", words.per_rank, "cells of each rank instead (weak scaling)")
      ->excludes("--size")
      ->type_name("NXxNYxNZ")
      ->group("Grid");
  app.add_option("--ranks", words.ranks,
                 "ranks along x, y, z (default: fewest cells between nodes, then ranks; 0: choose)")
      ->type_name("PXxPYxPZ")
      ->group("Grid");
  app.add_option("--map", words.map,
                 "which rank gets which box: automatic, row_major, mpi, node_blocked, "
                 "portfolio")
      ->type_name("MAP")
      ->group("Grid");
  app.add_option("--threads", words.threads, "threads a rank (default OMP_NUM_THREADS, else 1)")
      ->type_name("N")
      ->group("Grid");

  app.add_option("--problem", words.problem,
                 "laplace (default), harmonic, poisson, given; list describes them")
      ->type_name("NAME")
      ->group("Problem");
  app.add_option("--boundary", words.boundary,
                 "static, static=VALUE, neumann or periodic, for all sides or as X,Y,Z, each of "
                 "which may be LOW:HIGH (default static)")
      ->type_name("SIDES")
      ->group("Problem");
  app.add_option("--source", words.source,
                 "right-hand side f of the Laplacian u = f for --problem given: a number or a file")
      ->type_name("F")
      ->group("Problem");
  app.add_option("--initial", options.initial,
                 "first guess: noise, zero or a file (default noise; zero for --problem given)")
      ->type_name("FILE")
      ->group("Problem");

  app.add_option("--steps", words.steps,
                 "steps at most, those before a restart included (default 100; with --until no "
                 "limit)")
      ->type_name("N")
      ->group("Iteration");
  app.add_option("--until", words.until, "stop when no cell changes by more than this in a step")
      ->type_name("CHANGE")
      ->group("Iteration");
  app.add_option("--check-every", words.check_every,
                 "steps between two tests of --until (default 10); each runs behind the next step")
      ->type_name("N")
      ->group("Iteration");
  app.add_option("--checkpoint", options.checkpoint, "file from which --restart goes on")
      ->type_name("FILE")
      ->group("Iteration");
  app.add_option("--checkpoint-every", words.checkpoint_every,
                 "steps between two checkpoints (default: one, after the last step)")
      ->type_name("N")
      ->group("Iteration");
  app.add_option("--restart", options.restart,
                 "go on from a checkpoint; grid, problem and sides are those in it")
      ->type_name("FILE")
      ->group("Iteration");

  app.add_option("--schedule", words.schedule,
                 "blocking, nonblocking, polled, comm_thread, tasks, partitioned or automatic "
                 "(default PLAIT_SCHEDULE, else automatic); comm_thread,wait=sleep,poll=100us sets "
                 "details")
      ->type_name("NAME")
      ->group("How it runs");
  app.add_option("--blocks", words.blocks, "cells of a block along x, y, z (0: choose)")
      ->type_name("BXxBYxBZ")
      ->group("How it runs");
  app.add_option("--order", words.order,
                 "step: exchange first; advance: boundary cells first (default step)")
      ->type_name("ORDER")
      ->group("How it runs");
  app.add_option("--transport", words.transport,
                 "automatic, point_to_point, persistent, neighborhood or shared_memory")
      ->type_name("NAME")
      ->group("How it runs");
  app.add_option("--packing", words.packing, "automatic, threads or datatypes")
      ->type_name("NAME")
      ->group("How it runs");
  app.add_option("--temporal", words.temporal,
                 "sweeps that one pass through memory makes, with ghosts as deep (default 1)")
      ->type_name("K")
      ->group("How it runs");
  app.add_option(
         "--stores", words.stores,
         "auto, cached or streaming (auto: the faster, unless the fields surely fit the caches)")
      ->type_name("KIND")
      ->group("How it runs");
  app.add_option("--thread-level", words.thread_level,
                 "asked of MPI: single, funneled, serialized (default) or multiple")
      ->type_name("LEVEL")
      ->group("How it runs");

  app.add_flag("--bound", options.bound,
               "measure a plain copy of the fields, before and behind the run, and print the bound "
               "it sets")
      ->group("Results");
  app.add_flag("--check", options.check,
               "compare with the serial reference, bit for bit; exit 1 if unlike")
      ->group("Results");
  app.add_flag("--check-all", options.check_all,
               "check every schedule on 1 to all ranks with 1 to --threads threads")
      ->group("Results");
  app.add_option("--scaling", words.scaling,
                 "strong or weak: a table of runs on 1, 2, 4 ... all ranks; weak takes --size for "
                 "each rank")
      ->type_name("KIND")
      ->group("Results");
  app.add_flag("--explain", options.explain, "say what steps cost and why this schedule")
      ->group("Results");
  app.add_flag("--progress", options.progress,
               "lines on stderr while it runs (default: when stderr is a terminal)")
      ->group("Results");
  app.add_option("--output", options.output,
                 "write the field: .h5 or .hdf5 as HDF5, else raw doubles with x fastest")
      ->type_name("FILE")
      ->group("Results");
  app.add_option("--json", options.json, "write the results as JSON")
      ->type_name("FILE")
      ->group("Results");
}

/// The help in lines that fit a terminal: longer ones go on below their description.
std::string folded(const std::string& help) {
  constexpr std::size_t columns = 80;
  std::istringstream lines(help);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::string indent(line.starts_with("  ") ? 30 : 0, ' ');
    while (line.size() > columns) {
      const std::size_t blank = line.rfind(' ', columns);
      if (blank == std::string::npos || blank <= indent.size()) break;
      text += line.substr(0, blank) + "\n";
      line = indent + line.substr(blank + 1);
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace

CommandLine read_command_line(int argc, char** argv) {
  CommandLine command;
  Options& options = command.options;
  Words words;
  CLI::App app{
      "plait-jacobi: Laplace's and Poisson's equation on a 3D grid by Jacobi's method, in "
      "every parallel model, with the same bits in all of them.",
      "plait-jacobi"};
  app.set_version_flag("--version", "plait-jacobi " PLAIT_VERSION);
  declare(app, words, options);
  try {
    app.parse(argc, argv);
    if (words.problem == "list") {
      command.text = problem_list();
      return command;
    }
    understand_grid(words, options);
    understand_problem(words, options);
    understand_iteration(words, options);
    understand_run(words, options);
  } catch (const CLI::CallForHelp&) {
    command.text = folded(app.help());
  } catch (const CLI::CallForVersion&) {
    command.text = "plait-jacobi " PLAIT_VERSION "\n";
  } catch (const CLI::ParseError& error) {
    command.error.emplace("command line", error.what(), "see --help");
  } catch (const Error& error) {
    command.error.emplace(error);
  }
  return command;
}

}  // namespace plait::jacobi
