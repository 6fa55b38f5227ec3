// SPDX-License-Identifier: BSD-3-Clause
// Creates the problem that the options describe, and sets the fields before the first step.
#include "start.hpp"

#include <string>

#include "field_file.hpp"
#include "plait/environment.hpp"

namespace plait::jacobi {

Problem make_problem(const Options& options) {
  try {
    return {options.problem, options.boundary, options.cells, options.source};
  } catch (const Error& error) {
    throw CollectiveError(error);
  }
}

void set_start(const CartesianGrid& grid, const Problem& problem, const Options& options,
               const std::optional<CheckpointHeader>& restart, Fields& fields) {
  set_ghosts(grid, problem, fields.now);
  set_ghosts(grid, problem, fields.next);
  const std::string initial = !options.initial.empty()                ? options.initial
                              : options.problem == ProblemKind::given ? "zero"
                                                                      : "noise";
  if (restart) {
    read_checkpoint(grid, fields.now, options.restart, *restart);
  } else if (initial == "noise") {
    set_own(grid, fields.now, [&](int i, int j, int k) { return problem.noise(i, j, k); });
  } else if (initial != "zero") {
    read_field(grid, fields.now, "--initial", initial);
  }
  if (!options.source_file.empty()) {
    Field<double>& source = fields.source.emplace(grid, fields.now.ghost());
    read_field(grid, source, "--source", options.source_file);
    const double square = problem.spacing() * problem.spacing();
    const Int3 n = source.own_cells();
    for (int k = 0; k < n[2]; ++k) {
      for (int j = 0; j < n[1]; ++j) {
        for (int i = 0; i < n[0]; ++i) source(i, j, k) *= square;
      }
    }
  } else if (problem.has_source()) {
    Field<double>& source = fields.source.emplace(grid, fields.now.ghost());
    set_own(grid, source, [&](int i, int j, int k) { return problem.source(i, j, k); });
  }
}

}  // namespace plait::jacobi
