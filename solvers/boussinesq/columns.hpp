// SPDX-License-Identifier: BSD-3-Clause
// What happens to modes, column by column: derivatives along z, tendencies, steps in time, filter,
// projection. Eight columns at a time stay in the caches.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "compact.hpp"
#include "grid.hpp"
#include "projection.hpp"
#include "thread_memory.hpp"

namespace plait::boussinesq {

/// u, v, w and b; b is 0 at lids.
constexpr int state_count = 4;
constexpr std::array<Parity, state_count> parities{Parity::even, Parity::even, Parity::odd,
                                                   Parity::odd};

/// The constants of the equations, without the subgrid model.
struct Physics {
  double viscosity = 0;
  double diffusivity = 0;
  std::vector<double> stratification;  ///< N^2 of each plane
};

/// Smoothing of a step.
struct Smoothing {
  bool vertical = false;
  bool horizontal = false;  ///< factor exp(-36 (k / k_max)^36) along kx and ky
};

/// Up to eight neighbouring columns of one ky.
struct ColumnGroup {
  std::int64_t offset;  ///< of the first element in arrays
  std::int64_t ahead;   ///< distance of the group that follows
  int count;
  std::array<int, lane_count> x;  ///< kx numbers; beyond `count` those of no mode
  int y;                          ///< ky number, in the order of Grid
  Lanes kx;
  double ky;
};

class Columns {
public:
  Columns(const Grid& grid, const Block& block, const Physics& physics, PoissonMethod method,
          double filter_strength, bool gradients);

  /// Arrays of `block`.
  struct Arrays {
    std::array<Complex*, state_count> state;
    std::vector<Complex*> derived;               ///< as in plane_inputs()
    std::vector<const Complex*> products;        ///< the outputs of Products; may be in `derived`
    std::array<Complex*, state_count> tendency;  ///< of the step before
  };

  /// state += now * F + before * tendency, where F is the tendency of the state and its products;
  /// then projection and derive(). Uses all threads.
  /// @param keep  F takes the place of `tendency`
  void step(const Arrays& arrays, double now, double before, bool keep) const;
  /// Smooths and projects the state, and calls derive().
  void smooth(const Arrays& arrays, const Smoothing& smoothing) const;
  /// Makes the state free of divergence, and computes `derived` from it.
  void project(const Arrays& arrays) const;
  /// Computes `derived` from the state.
  void derive(const Arrays& arrays) const;

  /// Calls work(group) for all groups of columns, by all threads.
  template <class Work>
  void for_each(const Work& work) const {
    const std::int64_t groups = (block_.row() + lane_count - 1) / lane_count;
#pragma omp parallel for schedule(static)
    for (std::int64_t n = 0; n < groups * block_.y.count(); ++n) {
      ColumnGroup own = group(n / groups, n % groups * lane_count);
      own.ahead = group((n + 1) / groups, (n + 1) % groups * lane_count).offset - own.offset;
      work(own);
    }
  }
  void load(const Complex* array, const ColumnGroup& group, Pair* column) const;
  void store(const Pair* column, const ColumnGroup& group, Complex* array) const;

  [[nodiscard]] const Grid& grid() const {
    return grid_;
  }
  [[nodiscard]] const Block& block() const {
    return block_;
  }
  [[nodiscard]] const Compact& compact() const {
    return compact_;
  }
  [[nodiscard]] const Projection& projection() const {
    return projection_;
  }
  /// Largest time step for diffusion, in s.
  [[nodiscard]] double diffusion_step(double largest_eddy_viscosity) const;

private:
  [[nodiscard]] ColumnGroup group(std::int64_t y, std::int64_t x) const;
  /// Elements of work memory of a thread.
  [[nodiscard]] std::size_t memory_size() const;
  /// Tendencies without viscosity, in `f`; the other columns are work memory.
  void buoyancy_tendency(const Arrays& arrays, const ColumnGroup& group, const Pair* w, Pair* f,
                         Pair* a) const;
  void velocity_tendency(const Arrays& arrays, const ColumnGroup& group, std::size_t c,
                         const Pair* b, Pair* f, Pair* a, Pair* derivative) const;
  void derive(const Arrays& arrays, const ColumnGroup& group, Pair* const* state, Pair* out) const;
  void smooth(const ColumnGroup& group, const Smoothing& smoothing, Pair* const* state,
              Pair* scratch) const;

  Grid grid_;
  Block block_;
  Physics physics_;
  bool gradients_;
  Compact compact_;
  Projection projection_;

public:
  Columns(const Columns&) = delete;  // the projection refers to the differences
  Columns& operator=(const Columns&) = delete;
};

}  // namespace plait::boussinesq
