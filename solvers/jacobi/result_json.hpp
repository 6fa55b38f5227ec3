// SPDX-License-Identifier: BSD-3-Clause
// The results of runs as JSON (docs/schemas/jacobi-1.schema.json).
#pragma once

#include <string>
#include <vector>

#include "solve.hpp"

namespace plait::jacobi {

/// Writes a file with one entry of "runs" for each result. Local, for rank 0.
/// @param command  the words of the command line
/// @throws Error when it cannot be written
void write_json(const std::string& path, const std::vector<std::string>& command,
                const std::vector<Result>& results);

}  // namespace plait::jacobi
