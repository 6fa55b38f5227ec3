// SPDX-License-Identifier: BSD-3-Clause
// Runs of a measured MPI program under plait run, with and without an option.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

/// A measured program, built for one MPI library.
struct MeasuredProgram {
  std::string kind;  ///< "openmpi", "openmpi5", "mpich", ...
  std::string launcher, program, plait;
  std::vector<std::pair<std::string, std::string>> variables = {};
  std::vector<std::string> arguments = {};
};

/// Runs it without a report. @return what it printed
/// @param options  of plait run
/// @param folder   of the run, which is removed before
/// @throws plait::Error when the program fails
std::string measured_run(const MeasuredProgram& which, int ranks,
                         const std::vector<std::string>& options,
                         const std::filesystem::path& folder);

/// Interleaved pairs of runs.
inline constexpr int kPairs = 5;

/// The time of a step in us that a program prints.
double step_us(const MeasuredProgram& which, int ranks, const std::vector<std::string>& options,
               const std::filesystem::path& folder);

/// Medians over the pairs of the time of a step, and of its ratio.
struct StepTimes {
  double own_us = 0;   ///< without the option
  double with_us = 0;  ///< with it
  double gain = 0;     ///< the first by the second
};

/// Runs a program that prints the time of a step in us, by turns without and with options of
/// plait run, and prints a line.
/// @param busy  a process of another program uses a CPU meanwhile
StepTimes compare_steps(const MeasuredProgram& which, int ranks, bool busy,
                        const std::vector<std::string>& options,
                        const std::filesystem::path& folder);
