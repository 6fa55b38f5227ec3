// SPDX-License-Identifier: BSD-3-Clause
// Sweeps the fields under a schedule, or several times per pass with temporal blocking.
#include "sweeps.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <utility>

namespace plait::jacobi {
namespace {

/// x low, x high, y low and so on: whether the ghosts there come from a rank (possibly this one).
std::array<bool, 6> neighbours_of(const CartesianGrid& grid) {
  std::array<bool, 6> has{};
  for (std::size_t side = 0; side < 6; ++side) {
    Int3 offset{};
    offset[side / 2] = side % 2 == 0 ? -1 : 1;
    has[side] = grid.neighbour(offset) != MPI_PROC_NULL;
  }
  return has;
}

bool any_periodic(const CartesianGrid& grid) {
  const std::array<bool, 3>& periodic = grid.periodic();
  return std::any_of(periodic.begin(), periodic.end(), [](bool axis) { return axis; });
}

/// Ranks of the grid on the node of this rank.
int ranks_on_this_node(const CartesianGrid& grid) {
  const std::vector<int>& nodes = grid.node_of_rank();
  const int mine = nodes[static_cast<std::size_t>(grid.rank())];
  return static_cast<int>(std::count(nodes.begin(), nodes.end(), mine));
}

constexpr int fewest_steps = 50;
constexpr int repetitions = 3;  // the first warms up
/// The last cache may be shared with programs that are not visible here, such as other virtual
/// machines. Fields larger than this part of it may already be in memory.
constexpr int sure_part_of_cache = 4;

void sweep(const JacobiKernel& kernel, Fields& fields) {
  const Box own = fields.now.own();
#pragma omp parallel
  {
    // Whole planes, as a schedule without blocks distributes them.
    Box part = own;
    part.first[2] = own.last[2] * omp_get_thread_num() / omp_get_num_threads();
    part.last[2] = own.last[2] * (omp_get_thread_num() + 1) / omp_get_num_threads();
    kernel(fields.now, fields.next, part, fields.source_or_null());
  }
}

/// Chooses the stores for the whole run. If the fields take less than a quarter of the last cache,
/// or the run is too short for a trial, the kernel's choice by size is used. Otherwise some sweeps
/// of the own cells with both kinds in turn decide, because machines differ. Overwrites own cells
/// of fields.next. Collective.
/// @param automatic  the kernel created with Stores::automatic
Stores faster_stores(const CartesianGrid& grid, const Options& options,
                     const JacobiKernel& automatic, Fields& fields) {
  const int ranks = ranks_on_this_node(grid);
  // The kernel's choice by size if only the safe part of the cache is available.
  const JacobiKernel careful(grid.own_cells(), options.threads, sure_part_of_cache * ranks);
  int doubtful = careful.streaming() && options.steps >= fewest_steps ? 1 : 0;
  // Boxes differ in size by a layer: all ranks try both kinds if one box exceeds that part.
  MPI_Allreduce(MPI_IN_PLACE, &doubtful, 1, MPI_INT, MPI_MAX, grid.comm());
  if (doubtful == 0) return automatic.streaming() ? Stores::streaming : Stores::cached;
  const std::array<JacobiKernel, 2> kernels{
      JacobiKernel(grid.own_cells(), options.threads, ranks, Stores::cached),
      JacobiKernel(grid.own_cells(), options.threads, ranks, Stores::streaming)};
  std::array<double, 2> best_s{1e30, 1e30};
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t kind = 0; kind < 2; ++kind) {
      // Without streaming, warm the cache up, so that the previous kind has no influence.
      if (!automatic.streaming()) sweep(kernels[kind], fields);
      MPI_Barrier(grid.comm());
      const double start = MPI_Wtime();
      sweep(kernels[kind], fields);
      const double seconds = MPI_Wtime() - start;
      if (repetition > 0) best_s[kind] = std::min(best_s[kind], seconds);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, best_s.data(), 2, MPI_DOUBLE, MPI_SUM, grid.comm());
  return best_s[1] < best_s[0] ? Stores::streaming : Stores::cached;
}

}  // namespace

int Sweeps::ghost(const CartesianGrid& grid, const Options& options) {
  // Without neighbours nothing is computed twice: one layer suffices for any number of sweeps.
  return grid.size() > 1 || any_periodic(grid) ? options.temporal : 1;
}

Sweeps::Sweeps(const CartesianGrid& grid, const Problem& problem, const Options& options,
               Fields& fields)
    : grid_(grid),
      fields_(fields),
      options_(options),
      ranks_on_node_(ranks_on_this_node(grid)),
      has_neighbour_(neighbours_of(grid)),
      sides_(problem.boundary().sides()),
      temporal_(options.temporal > 1) {
  Halo::Options halo_options;
  halo_options.edges_and_corners = temporal_;
  halo_options.transport = options.transport;
  halo_options.packing = options.packing;
  halo_options.sides = sides_;
  halo_.emplace(grid, fields.now, halo_options);
  kernel_.emplace(grid.own_cells(), options.threads, ranks_on_node_, options.stores);
  if (temporal_) {
    passes_.resize(static_cast<std::size_t>(options.temporal) + 1);
    // Sweeps of ghost cells read the right-hand side there.
    if (fields.source) halo_->exchange(*fields.source);
    return;
  }
  if (options.stores == Stores::automatic) {
    kernel_.emplace(grid.own_cells(), options.threads, ranks_on_node_,
                    faster_stores(grid, options, *kernel_, fields));
  }
  use(options.schedule, options.order);
}

void Sweeps::use(const Schedule& schedule, Order order) {
  stepper_.reset();
  stepper_.emplace(*halo_, schedule);
  options_.schedule = schedule;
  options_.order = order;
  ghosts_valid_ = false;
}

const TemporalJacobi& Sweeps::pass_of(int sweeps) {
  std::optional<TemporalJacobi>& pass = passes_[static_cast<std::size_t>(sweeps)];
  if (!pass) {
    pass.emplace(grid_.own_cells(), sweeps, options_.threads, has_neighbour_, sides_,
                 ranks_on_node_);
  }
  return *pass;
}

int Sweeps::block_rows() const {
  if (!temporal_) return kernel_->block_rows();
  return TemporalJacobi(grid_.own_cells(), options_.temporal, options_.threads, has_neighbour_,
                        sides_, ranks_on_node_)
      .tile_rows();
}

void Sweeps::sweep_temporally(int sweeps) {
  halo_->exchange(fields_.now);
  pass_of(sweeps)(fields_.now, fields_.next, fields_.source_or_null());
  if (sweeps % 2 != 0) std::swap(fields_.now, fields_.next);
}

int Sweeps::some(int most) {
  if (!temporal_) {
    one();
    return 1;
  }
  const int sweeps = std::min(most, options_.temporal);
  sweep_temporally(sweeps);
  return sweeps;
}

void Sweeps::one() {
  if (temporal_) {
    sweep_temporally(1);
    return;
  }
  const auto update = [this](const Box& box) {
    (*kernel_)(fields_.now, fields_.next, box, fields_.source_or_null());
  };
  if (options_.order == Order::step) {
    stepper_->step(fields_.now, update);
  } else {
    if (!ghosts_valid_) halo_->exchange(fields_.now);
    ghosts_valid_ = true;
    stepper_->advance(fields_.next, update);
  }
  std::swap(fields_.now, fields_.next);
}

}  // namespace plait::jacobi
