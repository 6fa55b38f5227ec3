// SPDX-License-Identifier: BSD-3-Clause
// Numbers and extents read from the command line and written as one would type them.
#pragma once

#include <string>
#include <string_view>

#include "plait/box.hpp"

namespace plait::jacobi {

/// Reads a whole text as a number; false when it is none.
bool read_number(std::string_view text, int& number);
bool read_number(std::string_view text, double& number);

/// Reads "8x4x2", or "8" for three equal numbers.
/// @param least  the least that a number may be
/// @throws Error that names `option`
Int3 read_extents(const std::string& option, std::string_view text, int least);

/// "8x4x2".
std::string extents_text(const Int3& extents);

/// The shortest text that reads back as the same number.
std::string number_text(double number);

}  // namespace plait::jacobi
