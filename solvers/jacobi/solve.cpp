// SPDX-License-Identifier: BSD-3-Clause
// One run: grid, fields, iteration, results.
#include "solve.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "cell_file.hpp"
#include "checkpoint.hpp"
#include "field_file.hpp"
#include "measures.hpp"
#include "numbers.hpp"
#include "plait/environment.hpp"
#include "reference.hpp"
#include "start.hpp"

namespace plait::jacobi {
namespace {

/// Takes grid, problem and sides from a checkpoint; options that were given must agree with it.
Options adopt(const Options& asked, const CheckpointHeader& header) {
  const auto refuse = [&](const std::string& option, const std::string& given,
                          const std::string& found) {
    throw CollectiveError("--restart " + asked.restart,
                          "has " + option + " " + found + ", not " + given,
                          "leave out " + option + ", or pass the value in the checkpoint");
  };
  if (asked.cells_given && asked.cells != header.cells) {
    refuse("--size", extents_text(asked.cells), extents_text(header.cells));
  }
  if (asked.problem_given && asked.problem != header.problem) {
    refuse("--problem", to_string(asked.problem), to_string(header.problem));
  }
  if (asked.boundary_given && asked.boundary != header.boundary) {
    refuse("--boundary", asked.boundary.text(), header.boundary.text());
  }
  Options options = asked;
  options.cells = header.cells;
  options.problem = header.problem;
  options.boundary = header.boundary;
  options.source = header.source;
  return options;
}

/// With --per-rank, computes the cells of the whole grid. The ranks are arranged as requested, or
/// as for a cube of cells.
void multiply_cells(MPI_Comm comm, Options& options) {
  if (!options.cells_are_per_rank) return;
  int size = 1;
  MPI_Comm_size(comm, &size);
  std::int64_t given = 1;
  bool all_given = true;
  for (const int ranks : options.grid.ranks) {
    given *= std::max(ranks, 1);
    all_given = all_given && ranks > 0;
  }
  if (size % given != 0 || (all_given && given != size)) {
    throw CollectiveError("--ranks " + extents_text(options.grid.ranks),
                          "not possible with the " + std::to_string(size) + " ranks of the program",
                          "use 0 for an axis to have it chosen");
  }
  // Most ranks along z, whose faces are contiguous.
  Int3 dims{options.grid.ranks[2], options.grid.ranks[1], options.grid.ranks[0]};
  MPI_Dims_create(size, 3, dims.data());
  options.grid.ranks = {dims[2], dims[1], dims[0]};
  for (std::size_t d = 0; d < 3; ++d) options.cells[d] *= options.grid.ranks[d];
  options.cells_are_per_rank = false;
}

/// Both fields. If memory is short on some rank, all ranks get the error.
Fields make_fields(const CartesianGrid& grid, int ghost) {
  std::optional<Fields> fields;
  std::optional<Error> error;
  try {
    fields.emplace(Fields{Field<double>(grid, ghost), Field<double>(grid, ghost), std::nullopt});
  } catch (const Error& thrown) {
    error.emplace(thrown);
  }
  agree_on_error(grid.comm(), error ? &*error : nullptr);
  return std::move(*fields);
}

void require_writable_files(MPI_Comm comm, const Options& options) {
  if (!options.output.empty()) require_field_writable(comm, "--output", options.output);
  if (!options.checkpoint.empty()) require_writable(comm, "--checkpoint", options.checkpoint);
  if (!options.json.empty()) require_writable(comm, "--json", options.json);
}

void describe(const CartesianGrid& grid, const Sweeps& sweeps, Result& result) {
  result.ranks = grid.ranks();
  result.size = grid.size();
  result.map = to_string(grid.map());
  result.decomposition = grid.report();
  const Stepper* stepper = sweeps.stepper();
  if (stepper != nullptr) {
    result.schedule = to_string(stepper->schedule().kind);
    result.deciding = stepper->deciding();
    result.costs = stepper->costs();
    result.schedules = stepper->schedules();
    result.explanation = stepper->explain();
  } else {
    result.schedule = "temporal";
  }
  const Halo& halo = sweeps.halo();
  result.transport = to_string(halo.transport());
  result.packing = to_string(halo.packing());
  result.streaming = sweeps.streaming();
  result.block_rows = sweeps.block_rows();
  result.instruction_set = sweeps.instruction_set();
  std::int64_t sums[2] = {halo.bytes(), halo.cross_node_bytes()};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, grid.comm());
  result.halo_bytes = sums[0];
  result.cross_node_bytes = sums[1];
  result.largest_halo_bytes = halo.bytes();
  MPI_Allreduce(MPI_IN_PLACE, &result.largest_halo_bytes, 1, MPI_INT64_T, MPI_MAX, grid.comm());
}

/// The places of all ranks, on rank 0; empty on other ranks. Ranks may have different numbers of
/// threads. Collective.
std::vector<RankPlace> gather_placement(const CartesianGrid& grid, int threads) {
  constexpr std::size_t host_bytes = 256;
  std::array<char, host_bytes> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::vector<int> cpus(static_cast<std::size_t>(threads), -1);
#pragma omp parallel num_threads(threads)
  cpus[static_cast<std::size_t>(omp_get_thread_num())] = ::sched_getcpu();

  const auto ranks = static_cast<std::size_t>(grid.rank() == 0 ? grid.size() : 0);
  std::vector<char> hosts(ranks * host_bytes);
  MPI_Gather(host.data(), host_bytes, MPI_CHAR, hosts.data(), host_bytes, MPI_CHAR, 0, grid.comm());
  std::vector<int> counts(ranks), firsts(ranks);
  MPI_Gather(&threads, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, grid.comm());
  std::exclusive_scan(counts.begin(), counts.end(), firsts.begin(), 0);
  std::vector<int> all_cpus(
      static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0)));
  MPI_Gatherv(cpus.data(), threads, MPI_INT, all_cpus.data(), counts.data(), firsts.data(), MPI_INT,
              0, grid.comm());

  std::vector<RankPlace> places;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto rank = static_cast<int>(r);
    const auto first = all_cpus.begin() + firsts[r];
    places.push_back({rank, &hosts[r * host_bytes], grid.coordinates_of(rank), grid.own_of(rank),
                      std::vector<int>(first, first + counts[r])});
  }
  return places;
}

}  // namespace

double Result::cells() const {
  return static_cast<double>(options.cells[0]) * options.cells[1] * options.cells[2];
}

double Result::updates_per_s() const {
  if (!(iteration.seconds > 0.0)) return 0.0;
  return cells() * (iteration.steps - iteration.first_step) / iteration.seconds;
}

double Result::bytes_per_update() const {
  return ((streaming ? 16.0 : 24.0) + (reads_source ? 8.0 : 0.0)) / options.temporal;
}

double Result::bound_updates_per_s() const {
  return copy_bytes_per_s / bytes_per_update();
}

Result solve(MPI_Comm comm, const Options& asked) {
  require_writable_files(comm, asked);
  std::optional<CheckpointHeader> restart;
  Result result;
  result.options = asked;
  Options& options = result.options;
  multiply_cells(comm, options);
  if (!options.restart.empty()) {
    restart = read_checkpoint_header(comm, options.restart);
    options = adopt(options, *restart);
  }
  omp_set_num_threads(options.threads);
  const Problem problem = make_problem(options);
  options.grid.periodic = options.boundary.periodic_axes();
  const CartesianGrid grid(comm, options.cells, options.grid);

  Fields fields = make_fields(grid, Sweeps::ghost(grid, options));
  set_start(grid, problem, options, restart, fields);
  std::optional<Reference> reference;
  if (options.check) reference.emplace(grid, problem, fields);
  if (options.bound) result.copy_bytes_per_s = copy_bandwidth(grid, fields.now, fields.next);

  Sweeps sweeps(grid, problem, options, fields);
  Iteration start;
  if (restart) start.first_step = start.steps = restart->steps;
  if (restart) start.undecided = restart->undecided;
  result.iteration = iterate(grid, options, fields, sweeps, start);

  // A disturbance of the copy before the run may be over after it: the faster copy is the bound.
  if (options.bound) {
    result.copy_bytes_per_s =
        std::max(result.copy_bytes_per_s, copy_bandwidth(grid, fields.now, fields.next));
  }

  describe(grid, sweeps, result);
  result.reads_source = fields.source.has_value();
  result.checksum = checksum(grid, fields.now);
  if (problem.has_solution()) result.distance = distance_from_solution(grid, fields.now, problem);
  result.placement = gather_placement(grid, options.threads);
  if (!options.output.empty()) {
    write_field(grid, fields.now, options.output, problem, result.iteration.steps);
  }
  if (reference) {
    reference->advance(result.iteration.steps - start.steps);
    result.unlike_reference = cells_unlike(grid, fields.now, reference->own_cells());
  }
  return result;
}

}  // namespace plait::jacobi
