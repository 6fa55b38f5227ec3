// SPDX-License-Identifier: BSD-3-Clause
// The same flow in the three slab layouts of PIR3D.
#include "three_slabs.hpp"

#include <algorithm>
#include <cstdlib>

#include "thread_memory.hpp"

namespace plait::boussinesq {
namespace {

constexpr std::int64_t group_lines = 2 * lane_count;  // real lines, in both parts of Pairs

/// Lines of points in an array: element j of line n is at n * line + j * point.
struct Lines {
  std::int64_t count, line, point;
  int length;
};

void load_lines(const double* from, const Lines& lines, std::int64_t first, Pair* to) {
  const auto used = static_cast<int>(std::min(group_lines, lines.count - first));
  for (int j = 0; j < lines.length; ++j) {
    const double* row = from + first * lines.line + j * lines.point;
    Pair pair{};
    for (int n = 0; n < used; ++n) {
      (n < lane_count ? pair.re : pair.im)[n % lane_count] = row[n * lines.line];
    }
    to[j] = pair;
  }
}

void store_lines(const Pair* from, const Lines& lines, std::int64_t first, double* to) {
  const auto used = static_cast<int>(std::min(group_lines, lines.count - first));
  for (int j = 0; j < lines.length; ++j) {
    double* row = to + first * lines.line + j * lines.point;
    for (int n = 0; n < used; ++n) {
      row[n * lines.line] = (n < lane_count ? from[j].re : from[j].im)[n % lane_count];
    }
  }
}

std::size_t elements(const TransposeArray& array) {
  return static_cast<std::size_t>(array.elements);
}

}  // namespace

ThreeSlabs::ThreeSlabs(MPI_Comm comm, Flow& flow, const RankOptions& options)
    : comm_(comm),
      columns_(flow.columns()),
      physics_(flow.settings().physics),
      grid_(flow.settings().grid),
      along_x_(grid_.points[0]),
      along_y_(grid_.points[1]),
      planes_(grid_),
      y_to_x_(make(y, x, options, false)),
      x_to_y_(make(x, y, options, false)),
      y_to_z_(make(y, z, options, false)),
      z_to_y_(make(z, y, options, false)),
      to_columns_(make(z, y, options, true)),
      to_planes_(make(y, z, options, true)) {
  for (auto* arrays : {&state_, &old_, &new_}) {
    for (Array& array : *arrays) array.resize(elements(y_to_x_->source()));
  }
  for (Array& array : work_) array.resize(elements(y_to_x_->source()));
  field_x_.resize(elements(y_to_x_->destination()));
  result_x_.resize(field_x_.size());
  field_z_.resize(elements(y_to_z_->destination()));
  plane_modes_.resize(elements(to_columns_->source()));
  column_modes_.resize(elements(to_columns_->destination()));
  const std::int64_t first_plane = y_to_z_->destination().own.first;
  for (std::size_t c = 0; c < state_count; ++c) {
    flow.transform([&](const RowGroup& group, Lanes* const* in, Lanes* const*) {
      for (int lane = 0; lane < group.rows; ++lane) {
        const std::int64_t row =
            (group.plane - first_plane) * grid_.points[1] + group.first_y + lane;
        double* to = field_z_.data() + row * grid_.points[0];
        for (int i = 0; i < grid_.points[0]; ++i) to[i] = in[c][i][lane];
      }
    });
    swap(*z_to_y_, field_z_, state_[c]);
  }
}

std::unique_ptr<Transpose> ThreeSlabs::make(Axis from, Axis to, const RankOptions& options,
                                            bool modes) const {
  TransposeShape shape{{grid_.points[0], grid_.points[1], grid_.points[2]}, {from}, {to}};
  if (modes) {
    shape.extents = {grid_.modes_x(), grid_.modes_y(), grid_.planes()};
    shape.element_bytes = sizeof(Complex);
  }
  Transpose::Options made;
  made.transport = options.transport;
  made.wait = options.schedule.wait;
  return std::make_unique<Transpose>(comm_, shape, made);
}

template <class Element>
void ThreeSlabs::swap(Transpose& transpose, const std::vector<Element>& from,
                      std::vector<Element>& to) {
  transpose.transpose(from.data(), to.data());
  sent_bytes_ += transpose.bytes();
}

/// Along x in slabs of y; along y and z in slabs of x. Modes that the 2/3 rule leaves out become 0.
void ThreeSlabs::along(Axis axis, Derivative derivative, Parity parity, const Array& in,
                       Array& out) const {
  const TransposeArray& array = axis == x ? y_to_x_->source() : y_to_x_->destination();
  const auto& n = array.extents;
  Lines lines{};
  if (axis == x) lines = {n[1] * n[2], n[0], 1, grid_.points[0]};
  if (axis == y) lines = {n[0], 1, n[0], grid_.points[1]};
  if (axis == z) lines = {n[0] * n[1], 1, n[0] * n[1], grid_.points[2]};
  const std::int64_t planes = axis == y ? n[2] : 1, plane = n[0] * n[1];
  const std::int64_t groups = (lines.count + group_lines - 1) / group_lines;
  const Fft& fft = axis == x ? along_x_ : along_y_;
  const int most = axis == x ? grid_.modes_x() - 1 : grid_.most_y();
  const double unit = 2 * std::numbers::pi / grid_.lengths[static_cast<std::size_t>(axis)];
#pragma omp parallel for schedule(static)
  for (std::int64_t group = 0; group < groups * planes; ++group) {
    const auto length = static_cast<std::size_t>(lines.length);
    Pair* line = thread_memory<Pair, line_use>(2 * length);
    Pair* other_line = line + length;
    const std::int64_t base = group / groups * plane, first_line = group % groups * group_lines;
    load_lines(in.data() + base, lines, first_line, line);
    if (axis == z) {
      if (derivative == first) columns_.compact().first(parity, line, other_line);
      if (derivative == second) columns_.compact().second(parity, line, other_line);
      store_lines(other_line, lines, first_line, out.data() + base);
      continue;
    }
    Pair* modes = fft.transform(line, other_line, false);
    for (int m = 0; m < lines.length; ++m) {
      const int number = m <= lines.length / 2 ? m : m - lines.length;
      const double k = unit * number, scale = std::abs(number) <= most ? 1.0 / lines.length : 0;
      if (derivative == first) {
        modes[m] = times_i(all_lanes(k * scale), modes[m]);
      } else {
        modes[m] = (derivative == second ? -k * k * scale : scale) * modes[m];
      }
    }
    const Pair* result = fft.transform(modes, modes == line ? other_line : line, true);
    store_lines(result, lines, first_line, out.data() + base);
  }
}

void ThreeSlabs::differentiate(Axis axis, const Array& field, Parity parity, Array& result) {
  if (axis == x) {
    along(x, first, parity, field, result);
    return;
  }
  // The paper's listing 1, which moves the result there, too.
  swap(*y_to_x_, field, field_x_);
  swap(*y_to_x_, result, result_x_);
  along(axis, first, parity, field_x_, result_x_);
  swap(*x_to_y_, result_x_, result);
}

void ThreeSlabs::add_diffusion(std::size_t field, double coefficient, Array& tendency) {
  if (coefficient == 0) return;
  const auto size = static_cast<std::int64_t>(tendency.size());
  const auto add = [&](const Array& part) {
#pragma omp parallel for schedule(static)
    for (std::int64_t n = 0; n < size; ++n) {
      const auto i = static_cast<std::size_t>(n);
      tendency[i] += coefficient * part[i];
    }
  };
  along(x, second, parities[field], state_[field], work_[0]);
  add(work_[0]);
  swap(*y_to_x_, state_[field], field_x_);
  for (const Axis axis : {y, z}) {
    along(axis, second, parities[field], field_x_, result_x_);
    swap(*x_to_y_, result_x_, work_[0]);
    add(work_[0]);
  }
}

void ThreeSlabs::tendency(std::array<Array, state_count>& f) {
  const auto size = static_cast<std::int64_t>(state_[0].size());
  const std::int64_t plane = y_to_x_->source().extents[0] * y_to_x_->source().extents[1];
  const Array &w = state_[2], &b = state_[3];
  for (Array& array : f) std::fill(array.begin(), array.end(), 0);
  // One component of the vorticity after the other: D_i u_j - D_j u_i adds to f_i and f_j.
  for (const int turn : {0, 1, 2}) {
    const auto i = static_cast<Axis>(turn), j = static_cast<Axis>((turn + 1) % 3);
    differentiate(i, state_[j], parities[j], work_[0]);
    differentiate(j, state_[i], parities[i], work_[1]);
#pragma omp parallel for schedule(static)
    for (std::int64_t m = 0; m < size; ++m) {
      const auto n = static_cast<std::size_t>(m);
      const double vorticity = work_[0][n] - work_[1][n];
      f[i][n] += state_[j][n] * vorticity;
      f[j][n] -= state_[i][n] * vorticity;
    }
  }
  for (const Axis axis : {x, y, z}) {
#pragma omp parallel for schedule(static)
    for (std::int64_t m = 0; m < size; ++m) {
      const auto n = static_cast<std::size_t>(m);
      work_[0][n] = state_[axis][n] * b[n];
    }
    differentiate(axis, work_[0], axis == z ? Parity::even : Parity::odd, work_[1]);
#pragma omp parallel for schedule(static)
    for (std::int64_t m = 0; m < size; ++m) {
      const auto n = static_cast<std::size_t>(m);
      f[3][n] -= work_[1][n];
    }
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t m = 0; m < size; ++m) {
    const auto n = static_cast<std::size_t>(m);
    f[2][n] += b[n];
    f[3][n] -= physics_.stratification[static_cast<std::size_t>(m / plane)] * w[n];
  }
  for (std::size_t c = 0; c < state_count; ++c) {
    add_diffusion(c, c < 3 ? physics_.viscosity : physics_.diffusivity, f[c]);
  }
}

void ThreeSlabs::truncate(Array& field) {
  along(x, keep, Parity::even, field, work_[0]);
  swap(*y_to_x_, work_[0], field_x_);
  along(y, keep, Parity::even, field_x_, result_x_);
  swap(*x_to_y_, result_x_, field);
}

void ThreeSlabs::update(double now, double before, const std::array<Array, state_count>& f) {
  const auto size = static_cast<std::int64_t>(state_[0].size());
  for (std::size_t c = 0; c < state_count; ++c) {
#pragma omp parallel for schedule(static)
    for (std::int64_t m = 0; m < size; ++m) {
      const auto n = static_cast<std::size_t>(m);
      state_[c][n] += now * f[c][n] + before * old_[c][n];
    }
    truncate(state_[c]);
  }
  project();
}

void ThreeSlabs::remove_mean_w() {
  const auto& n = y_to_x_->source().extents;
  const std::int64_t plane = n[0] * n[1];
  std::vector<double> means(static_cast<std::size_t>(n[2]));
  for (std::int64_t k = 0; k < n[2]; ++k) {
    for (std::int64_t i = 0; i < plane; ++i) {
      means[static_cast<std::size_t>(k)] += state_[2][static_cast<std::size_t>(k * plane + i)];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, means.data(), static_cast<int>(means.size()), MPI_DOUBLE, MPI_SUM,
                comm_);
  const double points = static_cast<double>(grid_.points[0]) * grid_.points[1];
  for (std::int64_t k = 0; k < n[2]; ++k) {
    for (std::int64_t i = 0; i < plane; ++i) {
      state_[2][static_cast<std::size_t>(k * plane + i)] -=
          means[static_cast<std::size_t>(k)] / points;
    }
  }
}

void ThreeSlabs::project() {
  const auto size = static_cast<std::int64_t>(state_[0].size());
  remove_mean_w();
  Array& div = work_[2];
  differentiate(x, state_[0], parities[0], div);
  for (const Axis axis : {y, z}) {
    differentiate(axis, state_[axis], parities[axis], work_[0]);
#pragma omp parallel for schedule(static)
    for (std::int64_t m = 0; m < size; ++m) {
      const auto n = static_cast<std::size_t>(m);
      div[n] += work_[0][n];
    }
  }
  solve_poisson(div);
  for (const Axis axis : {x, y, z}) {
    differentiate(axis, div, Parity::even, work_[0]);
#pragma omp parallel for schedule(static)
    for (std::int64_t m = 0; m < size; ++m) {
      const auto n = static_cast<std::size_t>(m);
      state_[axis][n] -= work_[0][n];
    }
  }
}

void ThreeSlabs::solve_poisson(Array& div) {
  swap(*y_to_z_, div, field_z_);
  const IndexRange own = y_to_z_->destination().own;
  const std::int64_t nx = grid_.points[0], ny = grid_.points[1], columns = grid_.modes_x();
  const auto row = [&](const RowGroup& group, int lane) {
    return field_z_.data() + ((group.plane - own.first) * ny + group.first_y + lane) * nx;
  };
  const RowKernel read = [&](const RowGroup& group, Lanes* const*, Lanes* const* out) {
    std::fill_n(out[0], nx, Lanes{});
    for (int lane = 0; lane < group.rows; ++lane) {
      for (std::int64_t i = 0; i < nx; ++i) out[0][i][lane] = row(group, lane)[i];
    }
  };
  const RowKernel write = [&](const RowGroup& group, Lanes* const* in, Lanes* const*) {
    for (int lane = 0; lane < group.rows; ++lane) {
      for (std::int64_t i = 0; i < nx; ++i) row(group, lane)[i] = in[0][i][lane];
    }
  };
  const auto for_each_plane = [&](const RowKernel& kernel, bool back) {
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < own.count(); ++k) {
      Complex* rows = thread_memory<Complex, plane_use>(static_cast<std::size_t>(columns * ny));
      Complex* modes = plane_modes_.data() + k * columns * grid_.modes_y();
      const RowInput in[] = {{rows}};
      Complex* const out[] = {rows};
      if (back) planes_.along_y_to_points(modes, rows, columns);
      planes_.rows(static_cast<int>(own.first + k), 0, ny,
                   std::span<const RowInput>(in, back ? 1 : 0),
                   std::span<Complex* const>(out, back ? 0 : 1), kernel);
      if (!back) planes_.along_y_to_modes(rows, modes, columns);
    }
  };
  for_each_plane(read, false);
  swap(*to_columns_, plane_modes_, column_modes_);
  const Projection& projection = columns_.projection();
  columns_.for_each([&](const ColumnGroup& group) {
    Pair* scratch = thread_memory<Pair, column_use>(projection.scratch());
    columns_.load(column_modes_.data(), group, scratch);
    const Pair* p = projection.solve(group.kx * group.kx + group.ky * group.ky, scratch);
    columns_.store(p, group, column_modes_.data());
  });
  swap(*to_planes_, column_modes_, plane_modes_);
  for_each_plane(write, true);
  swap(*z_to_y_, field_z_, div);
}

void ThreeSlabs::advance(double step) {
  if (last_step_ == 0) {
    tendency(old_);
    update(0, step, old_);
    tendency(new_);
    update(step / 2, -step / 2, new_);
  } else {
    const double ratio = step / last_step_;
    tendency(new_);
    update(step * (1 + ratio / 2), -step * ratio / 2, new_);
    std::swap(old_, new_);
  }
  last_step_ = step;
}

void ThreeSlabs::give(Flow& flow) {
  std::array<Array, state_count> points;
  for (std::size_t c = 0; c < state_count; ++c) {
    points[c].resize(field_z_.size());
    swap(*y_to_z_, state_[c], points[c]);
  }
  const std::int64_t first_plane = y_to_z_->destination().own.first;
  const std::size_t outputs = flow.arrays().products.size();
  flow.set_points([&](const RowGroup& group, Lanes* const*, Lanes* const* out) {
    for (std::size_t c = 0; c < outputs; ++c) std::fill_n(out[c], grid_.points[0], Lanes{});
    for (int lane = 0; lane < group.rows; ++lane) {
      const std::int64_t row = (group.plane - first_plane) * grid_.points[1] + group.first_y + lane;
      for (std::size_t c = 0; c < state_count; ++c) {
        const double* from = points[c].data() + row * grid_.points[0];
        for (int i = 0; i < grid_.points[0]; ++i) out[c][i][lane] = from[i];
      }
    }
  });
  flow.ready();
}

std::int64_t ThreeSlabs::array_bytes() const {
  std::size_t doubles = 2 * field_x_.size() + field_z_.size();
  for (const auto* arrays : {&state_, &old_, &new_}) {
    for (const Array& array : *arrays) doubles += array.size();
  }
  for (const Array& array : work_) doubles += array.size();
  doubles += 2 * (plane_modes_.size() + column_modes_.size());
  return static_cast<std::int64_t>(doubles * sizeof(double));
}

std::int64_t ThreeSlabs::message_bytes() const {
  std::int64_t bytes = 0;
  for (const auto* transpose :
       {&y_to_x_, &x_to_y_, &y_to_z_, &z_to_y_, &to_columns_, &to_planes_}) {
    bytes += (*transpose)->buffer_bytes();
  }
  return bytes;
}

}  // namespace plait::boussinesq
