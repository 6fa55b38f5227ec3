// SPDX-License-Identifier: BSD-3-Clause
// The parts of the benchmark of plait-boussinesq.
#pragma once

#include <string>
#include <vector>

#include "../solver_run.hpp"

namespace plait::bench {

struct Options {
  std::string parts;  ///< letters; empty: a to c
  std::string size = "128x128x129";
  int rounds = 5;
  [[nodiscard]] bool wants(char part) const {
    return (parts.empty() ? "abc" : parts).find(part) != std::string::npos;
  }
};

/// The path of a file that is removed at the end, also after an error.
class TemporaryFile {
public:
  /// @param name  tells the files of this program apart
  explicit TemporaryFile(const std::string& name);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
};

inline const Solver kBoussinesq{PLAIT_BOUSSINESQ_MPIEXEC, PLAIT_BOUSSINESQ};

/// A step takes about as long as its messages between emulated nodes.
inline const std::string kSizeOnNodes = "64x64x65";

/// Options of a run of a few steps.
std::vector<std::string> step_arguments(const std::string& size, const std::string& schedule,
                                        int threads, int steps = 8);

/// (a) A step of two ranks over its parts, which the same run measures; memory.
void compare_with_parts(const Options& options);
/// (b) Ranks and threads on this machine and on four emulated nodes, beside predictions, and what
/// the predictions assume.
void compare_with_predictions(const Options& options);
/// (c) The part of the transposes' own time that schedules hide on two emulated nodes.
void compare_schedules(const Options& options);
/// (d) The growth of Crow's instability beside theory.
void compare_with_crow();

}  // namespace plait::bench
