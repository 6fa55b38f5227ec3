// SPDX-License-Identifier: BSD-3-Clause
// Compares the measurements of two machine files: the figures that differ by more than their
// intervals, and by how much.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"

namespace plait::report {

/// A figure that both machines have.
struct MachineChange {
  std::string group;  ///< "memory (STREAM)", "messages (shared L3)"
  std::string name;   ///< as machine::figures_of names it
  std::string unit;
  machine::Statistic a;
  machine::Statistic b;
  double speed = 1;  ///< of B relative to A: above 1, B is faster
  double low = 1;    ///< if both medians are at the ends of their intervals
  double high = 1;

  /// True if the intervals do not overlap.
  [[nodiscard]] bool differs() const { return low > 1 || high < 1; }
};

/// Two machine files side by side.
struct MachineComparison {
  std::string a, b;                      ///< as the user named them
  std::vector<std::string> differences;  ///< other than figures: "processor: X, and Y"
  std::vector<MachineChange> changes;    ///< in the order of the first file
  int only_a = 0;                        ///< figures that only one of them has, or that are
  int only_b = 0;                        ///< unusable in the other one
  std::vector<std::string> notes;        ///< what speaks against the measurements of either
};

/// Compares figures with the same name. Unusable figures (machine/figure_checks.hpp) are left out.
/// @param a, b  names of the files
/// @throws Error when a file has no measurements, or they have no figure in common.
MachineComparison compare_machines(const std::string& a, const machine::MachineFile& of_a,
                                   const std::string& b, const machine::MachineFile& of_b);

/// How many figures differ, and in which direction, as one or two sentences.
std::string machines_verdict(const MachineComparison& comparison);

/// Verdict, a table by group, the figures that differ most, notes; at most 80 columns.
std::vector<std::string> machines_lines(const MachineComparison& comparison);

nlohmann::json machines_to_json(const MachineComparison& comparison);

}  // namespace plait::report
