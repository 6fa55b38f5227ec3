// SPDX-License-Identifier: BSD-3-Clause
// What a run prints: for people, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "simulation.hpp"

namespace plait::boussinesq {

/// Before the first step: grid, modes, ranks.
std::string heading(const Options& options, int ranks);
/// The titles of the lines of measures, and one line.
std::string sample_titles();
std::string sample_line(const Sample& sample);
/// After the last step.
std::string report(const Result& result);

/// The hash of the last state, in hexadecimal digits.
std::string checksum_text(const Result& result);

/// @throws Error if the file cannot be written
void write_json(const std::string& path, const std::vector<std::string>& command,
                const std::string& mpi_library, const std::vector<Result>& results);

}  // namespace plait::boussinesq
