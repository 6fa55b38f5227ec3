// SPDX-License-Identifier: BSD-3-Clause
// Prints results as text and writes them as JSON.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "bandwidth.hpp"
#include "nas_run.hpp"
#include "system_run.hpp"

namespace plait::cg {

using Result = std::variant<NasResult, SystemResult>;

bool passed(const Result& result);
std::uint64_t checksum(const Result& result);

/// A few lines for a person.
std::string report(const Result& result, int ranks);

/// The rates of the local product.
std::string report(const KernelRates& rates);

/// @throws Error if the file cannot be written
void write_json(const std::string& path, const std::vector<std::string>& command, int ranks,
                const std::vector<Result>& results, const BandwidthAround& bandwidth,
                const KernelRates& rates);

}  // namespace plait::cg
