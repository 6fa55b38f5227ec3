// SPDX-License-Identifier: BSD-3-Clause
// The engine of the iteration: sweeps under a schedule, or several at once by temporal blocking.
#include "sweeps.hpp"

#include <algorithm>
#include <utility>

#include "stores_trial.hpp"

namespace plait::jacobi {
namespace {

/// x low, x high, y low and so on: whether ghosts there come from a rank, be it this one.
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

}  // namespace

int ranks_on_this_node(const CartesianGrid& grid) {
  const std::vector<int>& nodes = grid.node_of_rank();
  const int mine = nodes[static_cast<std::size_t>(grid.rank())];
  return static_cast<int>(std::count(nodes.begin(), nodes.end(), mine));
}

int Sweeps::ghost(const CartesianGrid& grid, const Options& options) {
  // Without neighbours nothing is computed twice, so that one layer does for any number of sweeps.
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
    // Sweeps beyond the own cells read it there.
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
