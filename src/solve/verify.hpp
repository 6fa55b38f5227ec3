// SPDX-License-Identifier: BSD-3-Clause
// Verify mode: compares every exchange of a stepper bit by bit with a blocking one.
#pragma once

#include <cstdint>
#include <span>

#include "plait/halo.hpp"
#include "plait/schedule.hpp"

namespace plait::solve {

/// True if this process has PLAIT_VERIFY=1 in its environment.
bool verify_mode_in_environment();

/// Compares exchanges in verify mode; otherwise does nothing.
class Verifier {
public:
  /// @param on  verify mode; the same on all ranks
  explicit Verifier(bool on) : on_(on) {}

  /// Compares the ghosts of fields that an exchange has just filled. Collective in verify mode.
  /// @throws CollectiveError at the first difference on any rank

  void check(const Halo& halo, std::span<const FieldView> fields, const Schedule& schedule);

  [[nodiscard]] std::int64_t exchanges() const { return exchanges_; }

private:
  bool on_ = false;
  std::int64_t exchanges_ = 0;
};

}  // namespace plait::solve
