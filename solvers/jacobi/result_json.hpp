// SPDX-License-Identifier: BSD-3-Clause
// Writes the results of runs as JSON (docs/schemas/jacobi-1.schema.json).
#pragma once

#include <string>
#include <vector>

#include "solve.hpp"

namespace plait::jacobi {

/// Writes a file with one entry of "runs" per result. Local; for rank 0.
/// @param command  the arguments of the command line
/// @throws Error if it cannot be written
void write_json(const std::string& path, const std::vector<std::string>& command,
                const std::vector<Result>& results);

}  // namespace plait::jacobi
