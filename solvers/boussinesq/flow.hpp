// SPDX-License-Identifier: BSD-3-Clause
// A flow: its state, and steps in time by the variable-step Adams-Bashforth method.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "columns.hpp"
#include "processes.hpp"
#include "products.hpp"

namespace plait::boussinesq {

struct FlowSettings {
  Grid grid;
  Physics physics;
  PoissonMethod poisson = PoissonMethod::cosine;
  Subgrid subgrid = Subgrid::none;
  double prandtl = 1;    ///< of the eddy viscosity
  int smooth_every = 0;  ///< steps; 0: never
  double filter_strength = 0.49;
  bool smooth_horizontally = false;
  /// Fixed time steps in turn; empty: the largest that is stable.
  std::vector<double> steps;
  double courant = 0.5;       ///< of the shortest waves kept: largest k |u| dt
  double largest_step = 0.1;  ///< of those that are not fixed
};

class Flow {
public:
  /// Starts at rest. Collective.
  /// @throws CommonError if memory is short
  Flow(Processes& processes, const FlowSettings& settings);

  /// Sets u, v, w and b at the points: outputs 0 to 3 of the kernel. Collective.
  void set_points(const RowKernel& kernel);
  /// Adds columns to u, v, w and b: work(group, columns) gets columns that are zero.
  void add_columns(const std::function<void(const ColumnGroup&, Pair* const*)>& work);
  /// Multiplies u, v and w.
  void scale_velocity(double factor);
  /// Projects the state. Call it after changes of the state.
  void ready();

  /// One step. Collective.
  /// @param until  the step does not go beyond this time
  /// @throws CommonError if a value is not finite, or the step is unstable
  void advance(double until);
  /// Transforms the fields of a step with another kernel, which may be empty. Overwrites what the
  /// next step computes again. Collective.
  void transform(const RowKernel& kernel) { processes_.at_points(inputs_, results_, kernel); }
  /// Computes the products of a step. Valid as long as the flow.
  [[nodiscard]] RowKernel products() {
    return [this](const RowGroup& group, Lanes* const* in, Lanes* const* out) {
      products_(group, in, out);
    };
  }

  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] double last_step() const { return last_step_; }
  /// Largest |u| kx + |v| ky + |w| kz before the last step, per second.
  [[nodiscard]] double speed() const { return speed_; }
  [[nodiscard]] double eddy_viscosity() const { return eddy_viscosity_; }

  /// Kinetic and potential energy that smoothing has removed in this run.
  [[nodiscard]] double smoothed_energy() const { return smoothed_energy_; }

  [[nodiscard]] Processes& processes() const { return processes_; }
  [[nodiscard]] const Columns& columns() const { return columns_; }
  [[nodiscard]] const FlowSettings& settings() const { return settings_; }
  [[nodiscard]] const Columns::Arrays& arrays() const { return arrays_; }
  [[nodiscard]] std::int64_t array_bytes() const;
  /// Seconds in transforms and their transposes, and in columns.
  [[nodiscard]] double transform_seconds() const { return transform_seconds_; }
  [[nodiscard]] double column_seconds() const { return column_seconds_; }
  /// Seconds of the transforms that were waits for messages.
  [[nodiscard]] double wait_seconds() const { return wait_seconds_; }

  /// Continues from a checkpoint, of which the arrays have been read.
  void resume(double time, std::int64_t steps, double last_step);

private:
  Complex* allocate(int field);
  void evaluate();
  [[nodiscard]] double choose_step(double until) const;
  void step_columns(double now, double before, bool keep);
  void smooth();

  Processes& processes_;
  FlowSettings settings_;
  Columns columns_;
  Products products_;
  std::vector<std::unique_ptr<double[]>> memory_;
  Columns::Arrays arrays_;
  std::vector<const Complex*> inputs_;
  std::vector<Complex*> results_;
  double time_ = 0, last_step_ = 0, speed_ = 0, eddy_viscosity_ = 0;
  std::int64_t steps_ = 0;
  double smoothed_energy_ = 0;
  double transform_seconds_ = 0, column_seconds_ = 0, wait_seconds_ = 0;
};

}  // namespace plait::boussinesq
