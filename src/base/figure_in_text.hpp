// SPDX-License-Identifier: BSD-3-Clause
// Finds a figure in the output of a program by a regular expression.
#pragma once

#include <optional>
#include <regex>
#include <string>

namespace plait {

/// The expression that a user gave.
/// @param option  that holds it, for the error
/// @throws Error when it is not a regular expression.
std::regex figure_expression(const std::string& option, const std::string& text);

/// The first number that the expression's first group finds.
/// @return nothing when it finds none
std::optional<double> figure_in(const std::string& output, const std::regex& expression);

}  // namespace plait
