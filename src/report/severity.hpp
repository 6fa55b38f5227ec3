// SPDX-License-Identifier: BSD-3-Clause
// The severity of a finding.
#pragma once

#include <string>

namespace plait::report {

/// "high", "medium" or "low", by the share of the ranks' time that a finding costs.
inline std::string severity_of(double share) {
  if (share >= 0.2) return "high";
  return share >= 0.08 ? "medium" : "low";
}

}  // namespace plait::report
