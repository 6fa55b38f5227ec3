// SPDX-License-Identifier: BSD-3-Clause
// A flow: its state, and steps in time by the variable-step Adams-Bashforth method.
#include "flow.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <sstream>
#include <string>

#include "measures.hpp"

namespace plait::boussinesq {
namespace {

/// Steps grow by no more than this factor: the method is second order for any, but less stable.
constexpr double largest_growth = 1.1;
/// Of the frequency of internal waves times the step.
constexpr double largest_phase = 0.2;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string text(double number) {
  std::ostringstream stream;
  stream.precision(4);
  stream << number;
  return stream.str();
}

Columns::Arrays make_arrays(const std::function<Complex*(int)>& allocate, int fields,
                            std::vector<Complex*>& results, const Products& products) {
  constexpr int no_field = -1;
  Columns::Arrays arrays{};
  int field = 0;
  for (Complex*& array : arrays.state) array = allocate(field++);
  while (field < fields) arrays.derived.push_back(allocate(field++));
  for (Complex*& array : arrays.tendency) array = allocate(no_field);
  // Products take the place of derived fields, which a step computes again from the state.
  const auto derived = static_cast<int>(arrays.derived.size());
  for (int n = 0; n < products.outputs(); ++n) {
    results.push_back(n < derived ? arrays.derived[static_cast<std::size_t>(n)]
                                  : allocate(no_field));
    arrays.products.push_back(results.back());
  }
  return arrays;
}

}  // namespace

Flow::Flow(Processes& processes, const FlowSettings& settings)
    : processes_(processes),
      settings_(settings),
      columns_(settings.grid, processes.block(), settings.physics, settings.poisson,
               settings.filter_strength, settings.subgrid != Subgrid::none),
      products_(settings.grid, settings.subgrid, settings.prandtl) {
  std::optional<Error> error;
  try {
    arrays_ = make_arrays([this](int field) { return allocate(field); },
                          plane_inputs(settings.subgrid).fields, results_, products_);
  } catch (const std::bad_alloc&) {
    error.emplace("memory", "not enough for the fields", "use more nodes or fewer points");
  }
  processes.agree(error ? &*error : nullptr);
  inputs_.assign(arrays_.state.begin(), arrays_.state.end());
  inputs_.insert(inputs_.end(), arrays_.derived.begin(), arrays_.derived.end());
}

Complex* Flow::allocate(int field) {
  Complex* array = field < 0 ? nullptr : processes_.field_memory(field);
  if (array == nullptr) {
    memory_.push_back(std::make_unique_for_overwrite<double[]>(2 * processes_.block().elements()));
    array = reinterpret_cast<Complex*>(memory_.back().get());
  }
  // The threads that will use the memory touch it first.
  columns_.for_each([&](const ColumnGroup& group) {
    for (int z = 0; z < columns_.block().planes; ++z) {
      std::fill_n(array + group.offset + z * columns_.block().plane(), group.count, Complex());
    }
  });
  return array;
}

std::int64_t Flow::array_bytes() const {
  const std::size_t both = std::min(arrays_.derived.size(), results_.size());
  const std::size_t arrays = inputs_.size() + results_.size() - both + arrays_.tendency.size();
  return static_cast<std::int64_t>(arrays * processes_.block().elements() * sizeof(Complex));
}

void Flow::set_points(const RowKernel& kernel) {
  processes_.at_points(inputs_, results_, kernel);
  add_columns([&](const ColumnGroup& group, Pair* const* out) {
    for (std::size_t c = 0; c < state_count; ++c) columns_.load(results_[c], group, out[c]);
  });
}

void Flow::add_columns(const std::function<void(const ColumnGroup&, Pair* const*)>& work) {
  const auto n = static_cast<std::size_t>(settings_.grid.planes());
  columns_.for_each([&](const ColumnGroup& group) {
    std::vector<Pair> memory((state_count + 1) * n);
    std::array<Pair*, state_count> added{};
    for (std::size_t c = 0; c < state_count; ++c) added[c] = memory.data() + c * n;
    Pair* own = memory.data() + state_count * n;
    work(group, added.data());
    for (std::size_t c = 0; c < state_count; ++c) {
      columns_.load(arrays_.state[c], group, own);
      for (std::size_t z = 0; z < n; ++z) own[z] = own[z] + added[c][z];
      columns_.store(own, group, arrays_.state[c]);
    }
  });
}

void Flow::scale_velocity(double factor) {
  add_columns([&](const ColumnGroup& group, Pair* const* out) {
    for (std::size_t c = 0; c < 3; ++c) {
      columns_.load(arrays_.state[c], group, out[c]);
      for (int z = 0; z < settings_.grid.planes(); ++z) out[c][z] = (factor - 1) * out[c][z];
    }
  });
}

void Flow::ready() {
  columns_.project(arrays_);
}

void Flow::resume(double time, std::int64_t steps, double last_step) {
  time_ = time;
  steps_ = steps;
  last_step_ = last_step;
  columns_.derive(arrays_);
}

void Flow::evaluate() {
  const double start = seconds(), waited = processes_.waited_s();
  products_.clear();
  transform(products());
  transform_seconds_ += seconds() - start;
  wait_seconds_ += processes_.waited_s() - waited;
  const Grid& grid = settings_.grid;
  const std::int64_t plane_points = std::int64_t{1} * grid.points[0] * grid.points[1];
  constexpr double none = -std::numeric_limits<double>::infinity();
  std::array<double, 3> largest{0, 0, none};
  for (std::int64_t z = grid.planes() - 1; z >= 0; --z) {
    const PlaneRecord& record = products_.records()[static_cast<std::size_t>(z)];
    largest[0] = std::max(largest[0], record.speed);
    largest[1] = std::max(largest[1], record.viscosity);
    if (record.not_finite >= 0) {
      largest[2] = -static_cast<double>(z * plane_points + record.not_finite);
    }
  }
  processes_.maximum(largest);
  if (largest[2] != none) {
    const auto place = static_cast<std::int64_t>(-largest[2]);
    const std::int64_t x = place % grid.points[0], y = place / grid.points[0] % grid.points[1];
    throw CommonError("step " + std::to_string(steps_) + ", time " + text(time_),
                      "a value at point (" + std::to_string(x) + ", " + std::to_string(y) + ", " +
                          std::to_string(place / plane_points) + ") is not finite",
                      "use a smaller --dt or --courant, more smoothing or more viscosity");
  }
  speed_ = largest[0];
  eddy_viscosity_ = largest[1];
}

double Flow::choose_step(double until) const {
  double stable = std::min(settings_.courant / speed_, columns_.diffusion_step(eddy_viscosity_));
  double stratification = 0;
  for (const double value : settings_.physics.stratification) {
    stratification = std::max(stratification, value);
  }
  stable = std::min(stable, largest_phase / std::sqrt(stratification));
  if (!settings_.steps.empty()) {
    const double fixed = settings_.steps[static_cast<std::size_t>(steps_) % settings_.steps.size()];
    if (fixed > stable) {
      throw CommonError("--dt " + text(fixed),
                        "unstable at step " + std::to_string(steps_) +
                            "; the largest stable step is " + text(stable),
                        "use a smaller --dt, or leave it out");
    }
    return std::min(fixed, until - time_);
  }
  double step = std::min(stable, settings_.largest_step);
  if (last_step_ > 0) step = std::min(step, largest_growth * last_step_);
  return std::min(step, until - time_);
}

void Flow::step_columns(double now, double before, bool keep) {
  const double start = seconds();
  columns_.step(arrays_, now, before, keep);
  column_seconds_ += seconds() - start;
}

void Flow::smooth() {
  const double start = seconds();
  const double before = measure(*this).total();
  columns_.smooth(arrays_, {settings_.filter_strength > 0, settings_.smooth_horizontally});
  smoothed_energy_ += before - measure(*this).total();
  column_seconds_ += seconds() - start;
}

void Flow::advance(double until) {
  evaluate();
  const double step = choose_step(until);
  if (last_step_ == 0) {
    // Heun's method: the same state, plus half the difference of the tendencies. The first of them
    // stays for the next step.
    step_columns(step, 0, true);
    evaluate();
    step_columns(step / 2, -step / 2, false);
  } else {
    const double ratio = step / last_step_;
    step_columns(step * (1 + ratio / 2), -step * ratio / 2, true);
  }
  time_ += step;
  last_step_ = step;
  ++steps_;
  if (settings_.smooth_every > 0 && steps_ % settings_.smooth_every == 0) smooth();
}

}  // namespace plait::boussinesq
