// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes numbers and extents in the form of the command line.
#pragma once

#include <string>
#include <string_view>

#include "plait/box.hpp"

namespace plait::jacobi {

/// Reads the whole text as a number. Returns false if it is not one.
bool read_number(std::string_view text, int& number);
bool read_number(std::string_view text, double& number);

/// Reads "8x4x2", or "8" for three equal numbers.
/// @param least  smallest number accepted
/// @throws Error that names `option`
Int3 read_extents(const std::string& option, std::string_view text, int least);

/// "8x4x2".
std::string extents_text(const Int3& extents);

/// The shortest text that reads back as the same number.
std::string number_text(double number);

}  // namespace plait::jacobi
