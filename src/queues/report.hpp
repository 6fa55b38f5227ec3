// SPDX-License-Identifier: BSD-3-Clause
// The results of plait-queues as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"
#include "team.hpp"

namespace plait::queues {

/// A table of 80 columns, and what its columns are.
std::string table_of(const Options& options, const std::vector<Result>& results);

/// docs/schemas/queues-1.schema.json
std::string json_of(const Options& options, const std::vector<Result>& results);

}  // namespace plait::queues
