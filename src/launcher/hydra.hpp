// SPDX-License-Identifier: BSD-3-Clause
// Common parts of MPICH's launcher, Hydra, and of Intel MPI's, which is derived from it.
#pragma once

#include "launcher/launcher_traits.hpp"

namespace plait::launcher {

class Hydra : public LauncherTraits {
public:
  std::size_t option_length(const std::string& option) const override;
  /// Ranks inherit variables unless the user restricts what hydra passes; then they need -genv.
  Options exporting(const LaunchCommand& command, const Assignments& variables) const override;

protected:
  using LauncherTraits::LauncherTraits;

  /// The rank that hydra set, without key and kind of launcher.
  static std::optional<JobRank> hydra_rank_in(const Lookup& value);
  static std::vector<std::string> hydra_host_options();
};

}  // namespace plait::launcher
