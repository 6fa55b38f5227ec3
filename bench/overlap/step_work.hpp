// SPDX-License-Identifier: BSD-3-Clause
// The work of a step of the measured program: a real Jacobi update or an emulated one.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "plait/field.hpp"

namespace plait::bench {

/// The fields of a rank and the update of a box of them.
class StepWork {
public:
  StepWork() = default;
  virtual ~StepWork() = default;
  StepWork(const StepWork&) = delete;
  StepWork& operator=(const StepWork&) = delete;

  /// The fields whose ghosts a step needs; their layout never changes, but their memory may.
  [[nodiscard]] virtual std::vector<FieldView> exchanged() const = 0;
  /// Updates a box; several threads may update disjoint boxes at once.
  virtual void update(const Box& box) = 0;
  /// Turns the new values into the old ones.
  virtual void next() = 0;
  [[nodiscard]] Box own() const { return {{0, 0, 0}, exchanged().front().own}; }
};

/// The 6-point Jacobi update of one field.
std::unique_ptr<StepWork> real_jacobi(const Int3& own, int threads);

/// Stengel's node (2010, section 2.1.2), emulated by sleeping: 177 MLUP/s with one thread, 198 with
/// two. Three fields are exchanged, so that two neighbours get six faces.
std::unique_ptr<StepWork> asleep_jacobi(const Int3& own);

}  // namespace plait::bench
