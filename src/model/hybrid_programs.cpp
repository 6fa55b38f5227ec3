// SPDX-License-Identifier: BSD-3-Clause
// CG (NAS) and HPL as blocks of work and messages, for the models of Viet et al. 2005.
#include "model/hybrid_programs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "plait/error.hpp"

namespace plait::model {
namespace {

constexpr double kDouble = 8;
/// CG: products in an outer iteration, 25 steps and the residual.
constexpr int kProducts = 26;
/// Numbers of vectors that a step reads or writes outside the product, and its reductions.
constexpr double kVectorNumbers = 12;
constexpr double kReductions = 2;
/// Numbers in a message of a grain (Viet, 6.2: 1750 and 2000).
constexpr double kGrainNumbers = 2000;

/// The steps of a butterfly over the columns.
int log2_of(int columns) {
  return std::bit_width(static_cast<unsigned>(columns)) - 1;
}

Grid grid_of(const Pattern& pattern) {
  return {pattern.rows, pattern.columns};
}

/// Messages of one layout of CG.
NodeMessages cg_messages(const CgProblem& problem, const Grid& grid, const Volume& sent) {
  const double n = static_cast<double>(problem.n);
  // Reductions of single numbers go to the partners of the product, and cost a latency each.
  const int steps = log2_of(grid.columns);
  const double all = std::max(1, sent.messages + sent.inside_messages);
  const double reductions = kReductions * steps / all;
  NodeMessages messages;
  messages.bytes = kDouble * n * sent.node.value();
  messages.channels = std::max(1, sent.channels);
  messages.messages = sent.messages * (1 + reductions);
  messages.message_bytes = kDouble * n / grid.columns;
  messages.inside_bytes = kDouble * n * sent.inside.value();
  messages.inside_messages = sent.inside_messages * (1 + reductions);
  return messages;
}

/// The grid of a layout with `processes`: the given one if it has as many.
Grid hpl_grid(const std::optional<Grid>& given, int nodes, int per_node) {
  if (given && given->rows * given->columns == nodes * per_node) return *given;
  return best_hpl_grid(nodes, per_node);
}

/// Messages of one layout in an iteration whose U has `numbers` numbers.
NodeMessages hpl_messages(const Grid& grid, const Volume& sent, double numbers) {
  const double p = grid.rows, q = grid.columns;
  const double all = (p - 1) / q + (q - 1) / p;
  const double ring = (p > 1 ? 1 / q : 0) + (q > 1 ? 1 / p : 0);
  NodeMessages messages;
  messages.bytes = kDouble * numbers * sent.node.value();
  messages.least_bytes = all > 0 ? messages.bytes * ring / all : 0;
  messages.channels = std::max(1, sent.channels);
  messages.messages = sent.messages;
  messages.message_bytes = kDouble * numbers / std::max(p, q);
  messages.inside_bytes = kDouble * numbers * sent.inside.value();
  messages.inside_messages = sent.inside_messages;
  return messages;
}

}  // namespace

CgProblem cg_class(const std::string& name) {
  struct Class {
    const char* name;
    std::int64_t n;
    int nonzer, iterations;
  };
  static constexpr std::array classes{
      Class{"S", 1400, 7, 15},      Class{"W", 7000, 8, 15},    Class{"A", 14000, 11, 15},
      Class{"B", 75000, 13, 75},    Class{"C", 150000, 15, 75}, Class{"D", 1500000, 21, 100},
      Class{"E", 9000000, 26, 100},
  };
  for (const Class& of : classes) {
    if (name != of.name) continue;
    return {name, of.n, of.nonzer * (of.nonzer + 1), of.iterations * kProducts};
  }
  throw Error("class \"" + name + "\"", "unknown", "use S, W, A, B, C, D or E");
}

double flops_of(const CgProblem& problem) {
  // NAS Parallel Benchmarks 3, cg.f90: 2 niter na (3 + nz + 25 (5 + nz) + 3).
  const double iterations = static_cast<double>(problem.products) / kProducts;
  return 2 * iterations * static_cast<double>(problem.n) *
         (3.0 + problem.nonzeros + 25.0 * (5 + problem.nonzeros) + 3.0);
}

double flops_of(const HplProblem& problem) {
  const double n = static_cast<double>(problem.n);
  return 2 * n * n * n / 3 + 3 * n * n / 2;
}

HybridCase cg_case(const CgProblem& problem, int nodes, int cores) {
  HybridCase result{nodes, cores, {}, {}, {}, {}, {}};
  const Pattern mpi = cg_pattern(nodes * cores), hybrid = cg_pattern(nodes);
  result.mpi = grid_of(mpi);
  result.hybrid = grid_of(hybrid);
  result.mpi_volume = volume(mpi, block_mapping(nodes * cores, cores));
  result.hybrid_volume = volume(hybrid, block_mapping(nodes, 1));

  const double n = static_cast<double>(problem.n);
  HybridBlock block;
  block.runs = problem.products;
  block.work = 2 * n * problem.nonzeros / nodes;
  // Each process works on its n / columns numbers; in flops of the product with the same traffic.
  const double vectors = kVectorNumbers * kDouble / kCgBytesPerFlop * n;
  block.outside_mpi = vectors / result.mpi.columns * cores;
  block.outside_hybrid = vectors / result.hybrid.columns;
  block.mpi = cg_messages(problem, result.mpi, result.mpi_volume);
  block.pc = cg_messages(problem, result.hybrid, result.hybrid_volume);
  const double grains = std::max(1.0, std::floor(n / result.hybrid.rows / kGrainNumbers));
  block.tc = block.pc;
  block.tc.messages += (grains - 1) * result.hybrid_volume.messages;
  block.tc.message_bytes /= grains;
  block.exposed = 1 / grains;
  result.blocks = {block};
  return result;
}

HybridCase hpl_case(const HplProblem& problem, int nodes, int cores,
                    const std::optional<Grid>& grid) {
  if (grid && grid->rows * grid->columns != nodes && grid->rows * grid->columns != nodes * cores) {
    throw Error(std::to_string(grid->rows) + "x" + std::to_string(grid->columns),
                "a grid of neither one process per node nor one per core",
                "give a grid of " + std::to_string(nodes) + " or " + std::to_string(nodes * cores) +
                    " processes");
  }
  HybridCase result{nodes, cores, hpl_grid(grid, nodes, cores), hpl_grid(grid, nodes, 1), {},
                    {},    {}};
  result.mpi_volume =
      hpl_volume(result.mpi.rows, result.mpi.columns, block_mapping(nodes * cores, cores));
  result.hybrid_volume =
      hpl_volume(result.hybrid.rows, result.hybrid.columns, block_mapping(nodes, 1));
  const double nb = problem.nb;
  for (std::int64_t done = 0; done < problem.n; done += problem.nb) {
    const double rows = static_cast<double>(problem.n - done);
    const double below = std::max(0.0, rows - nb);
    HybridBlock block;
    block.work = (2 * nb * below * below + nb * nb * below) / nodes;
    const double panel = std::min(rows, nb) * nb * rows;
    block.outside_mpi = panel / result.mpi.rows * cores;
    block.outside_hybrid = panel / result.hybrid.rows;
    block.outside_overlaps = true;
    block.mpi = hpl_messages(result.mpi, result.mpi_volume, nb * below);
    block.pc = block.tc = hpl_messages(result.hybrid, result.hybrid_volume, nb * below);
    result.blocks.push_back(block);
  }
  return result;
}

}  // namespace plait::model
