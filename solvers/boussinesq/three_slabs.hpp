// SPDX-License-Identifier: BSD-3-Clause
// The same flow in the three slab layouts of PIR3D (G. Jost, B. Robins, 2010), for comparison:
// whole fields of points are swapped for each derivative.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <vector>

#include "flow.hpp"
#include "plait/transpose.hpp"
#include "ranks.hpp"

namespace plait::boussinesq {

/// Fields are at home in slabs of y, where x is whole. A derivative along y or z is taken as in the
/// paper's listing 1: swap the field and the result to slabs of x, update, swap the result back.
/// Poisson's equation is solved in slabs of z, and along z in slabs of modes. The results equal
/// those of Flow to rounding.
class ThreeSlabs {
public:
  /// Takes the state of `flow` over. Collective over `comm`.
  ThreeSlabs(MPI_Comm comm, Flow& flow, const RankOptions& options);

  /// Steps of the given length, the first one by Heun's method.
  void advance(double step);
  /// Adds the state to a flow at rest. Collective.
  void give(Flow& flow);

  /// Bytes of this rank: arrays and buffers; sent so far.
  [[nodiscard]] std::int64_t array_bytes() const;
  [[nodiscard]] std::int64_t message_bytes() const;
  [[nodiscard]] std::int64_t sent_bytes() const { return sent_bytes_; }

private:
  using Array = std::vector<double>;
  enum Derivative { keep, first, second };
  enum Axis { x, y, z };

  std::unique_ptr<Transpose> make(Axis from, Axis to, const RankOptions& options, bool modes) const;
  template <class Element>
  void swap(Transpose& transpose, const std::vector<Element>& from, std::vector<Element>& to);
  void along(Axis axis, Derivative derivative, Parity parity, const Array& in, Array& out) const;
  void differentiate(Axis axis, const Array& field, Parity parity, Array& result);
  void add_diffusion(std::size_t field, double coefficient, Array& tendency);
  void tendency(std::array<Array, state_count>& f);
  void update(double now, double before, const std::array<Array, state_count>& f);
  void truncate(Array& field);
  void project();
  void remove_mean_w();
  void solve_poisson(Array& div);

  MPI_Comm comm_;
  const Columns& columns_;
  Physics physics_;
  Grid grid_;
  Fft along_x_, along_y_;
  PlaneTransform planes_;
  std::unique_ptr<Transpose> y_to_x_, x_to_y_, y_to_z_, z_to_y_, to_columns_, to_planes_;
  std::array<Array, state_count> state_, old_, new_;
  std::array<Array, 3> work_;
  Array field_x_, result_x_, field_z_;
  std::vector<Complex> plane_modes_, column_modes_;
  double last_step_ = 0;
  std::int64_t sent_bytes_ = 0;
};

}  // namespace plait::boussinesq
