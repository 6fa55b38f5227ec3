// SPDX-License-Identifier: BSD-3-Clause
// What serial parts cost a run with OpenMP: the function that its threads wait for.
#pragma once

#include <optional>
#include <string>

#include "report/profile.hpp"

namespace plait::report {

/// A function whose serial part leaves OpenMP threads without work.
struct SerialLoss {
  std::string sentence;  ///< "OpenMP does not help in solve (solve.cpp:40): serial part 71 %"
  std::string interval;  ///< of that share, 95 %: "68 to 74 %"
  std::string inside;    ///< has most of the serial part: "setup (mesh.cpp:12)"; empty: itself
  double share = 0;      ///< of the ranks' time: threads without work in the serial part

  /// "OpenMP ... serial part 71 % (68 to 74 %), most of it in setup (mesh.cpp:12)"
  [[nodiscard]] std::string text() const;
};

/// The loss by the serial part that samples show. Nothing without samples, OpenMP regions or
/// threads, and if the lower end of the interval is a loss that is not worth naming.
std::optional<SerialLoss> serial_loss(const Profile& profile);

}  // namespace plait::report
