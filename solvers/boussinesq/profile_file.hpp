// SPDX-License-Identifier: BSD-3-Clause
// Profiles over z: a number, or a table in a file.
#pragma once

#include <string>
#include <vector>

#include "grid.hpp"

namespace plait::boussinesq {

/// `count` values for each plane: the given number followed by zeros, or interpolated in a file
/// with lines of z and `count` values, in ascending order of z. Lines that begin with # are left
/// out.
/// @throws Error that names `option` if the file is damaged
std::vector<std::vector<double>> read_profile(const std::string& option, const std::string& text,
                                              const Grid& grid, std::size_t count);

}  // namespace plait::boussinesq
