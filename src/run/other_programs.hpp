// SPDX-License-Identifier: BSD-3-Clause
// The CPUs that other programs use while a job runs.
#pragma once

namespace plait::run {

/// Measures, from its construction on, what programs other than this process and its children use
/// of the CPUs on which this process may run.
class OtherPrograms {
public:
  OtherPrograms();

  /// CPUs on average until now. Children count once they have ended. A job that a daemon starts
  /// (srun) counts as another program. 0 when the kernel does not report it, and in the first 0.2
  /// s, which are too short for its ticks.
  [[nodiscard]] double cpus() const;

private:
  double busy_s_, own_s_, begin_s_;
};

/// The number of CPUs on which this process may run.
int allowed_cpus();

}  // namespace plait::run
