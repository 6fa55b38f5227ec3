// SPDX-License-Identifier: BSD-3-Clause
// The mapper of a node: looks at its ranks while they run, and moves them (Henriksen 2008, 7.3).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace plait::remap {

/// Shortest interval: records are looked at ten times per second.
inline constexpr double kLeastIntervalS = 0.1;
inline constexpr double kDefaultIntervalS = 2;

/// Moves the ranks of a job on this node. As in the thesis, it is part of a process of its own,
/// which sleeps most of the time: the one that supervises the run. It never fails: in trouble it
/// stops, and remap.json says why.
class Mapper {
public:
  /// @param machine     as machine::open_machine() takes it
  /// @param interval_s  after which it decides, at least kLeastIntervalS
  /// @throws Error when the machine is unknown
  Mapper(const std::string& machine, double interval_s);
  ~Mapper();
  Mapper(const Mapper&) = delete;
  Mapper& operator=(const Mapper&) = delete;

  /// Looks at the ranks, and decides if the interval has passed. To be called several times per
  /// interval.
  void look(const std::filesystem::path& records);

  /// Writes remap.json into the run directory, unless look() was never called: the program ended
  /// too soon, or another rank's process has the mapper. @throws Error when it cannot be written.
  void write(const std::filesystem::path& run_dir) const;

private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace plait::remap
