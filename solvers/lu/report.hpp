// SPDX-License-Identifier: BSD-3-Clause
// Prints results as text and writes them as JSON.
#pragma once

#include <string>
#include <vector>

#include "solve.hpp"

namespace plait::lu {

/// The rate of the matrix product, if it was measured.
struct DgemmRate {
  double before = 0;  ///< flop/s on one core; 0: not measured
  double after = 0;
};

/// A few lines for a person.
std::string report(const Result& result, const DgemmRate& dgemm);

/// HPL's result line and the line of its residual.
std::string hpl_lines(const Result& result);

/// @throws Error if the file cannot be written
void write_json(const std::string& path, const std::vector<std::string>& command,
                const std::vector<Result>& results, const DgemmRate& dgemm);

}  // namespace plait::lu
