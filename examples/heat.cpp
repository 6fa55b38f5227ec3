// SPDX-License-Identifier: BSD-3-Clause
// Heat conduction in a box, du/dt = alpha laplace(u), by explicit Euler steps with the library.
#include <cstdio>
#include <plait/plait.hpp>
#include <utility>

int main(int argc, char** argv) {
  plait::Environment environment(argc, argv);
  return plait::guarded("heat", [] {
    const plait::Int3 cells{48, 40, 32};  // of width h = 1/48; u = 1 at the side x = 0
    const double h = 1.0 / cells[0];
    const double alpha = 1.0;
    const double dt = 0.15 * h * h / alpha;  // stable below h^2 / (6 alpha)
    const int steps = 100;

    const plait::CartesianGrid grid(MPI_COMM_WORLD, cells);
    plait::Field<double> u(grid, 1);
    plait::Field<double> next(grid, 1);
    plait::Halo::Options options;
    options.sides.fill(plait::Side::mirror);  // no heat flows through the sides ...
    options.sides[0] = plait::Side::fixed;    // ... except the hot one
    plait::Halo halo(grid, u, options);
    plait::Stepper stepper(halo);  // with the schedule from PLAIT_SCHEDULE

    const plait::Int3 own = grid.own_cells();
    if (grid.coordinates()[0] == 0) {
      for (int k = 0; k < own[2]; ++k) {
        for (int j = 0; j < own[1]; ++j) u(-1, j, k) = next(-1, j, k) = 1.0;
      }
    }

    const double r = alpha * dt / (h * h);
    const auto update = [&](const plait::Box& box) {
      for (int k = box.first[2]; k < box.last[2]; ++k) {
        for (int j = box.first[1]; j < box.last[1]; ++j) {
          for (int i = box.first[0]; i < box.last[0]; ++i) {
            next(i, j, k) = u(i, j, k) +
                            r * (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) +
                                 u(i, j, k - 1) + u(i, j, k + 1) - 6.0 * u(i, j, k));
          }
        }
      }
    };
    for (int step = 0; step < steps; ++step) {
      stepper.step(u, update);
      std::swap(u, next);
    }

    const double heat = plait::exact_sum(grid, u) * h * h * h;
    const double change = plait::max_change(grid, u, next);
    if (grid.rank() == 0) {
      std::printf("heat %.16E after %d steps, largest change %.16E\n", heat, steps, change);
    }
    return 0;
  });
}
