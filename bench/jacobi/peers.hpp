// SPDX-License-Identifier: BSD-3-Clause
// Stencil programs of others for comparison: Devito, which runs on request, and YASK.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

namespace plait::bench {

/// A Devito Jacobi in a separate process on one core. It waits while others are timed.
class Devito {
public:
  /// @return nullptr with the reason in `why` when Devito is not installed or does not start
  static std::unique_ptr<Devito> start(int n, int cpu, std::string& why);
  ~Devito();
  Devito(const Devito&) = delete;
  Devito& operator=(const Devito&) = delete;

  /// Seconds of this number of sweeps, as the process measures them.
  double seconds(int sweeps);

private:
  Devito(pid_t process, int to, int from) : process_(process), to_(to), from_(from) {}
  std::string line();

  pid_t process_;
  int to_;
  int from_;
};

/// Updates per second of a YASK 6-point stencil program on one core; empty if it prints none.
std::optional<double> yask_rate(const std::string& program, int n);

}  // namespace plait::bench
