// SPDX-License-Identifier: BSD-3-Clause
// Compares text with a committed golden file; PLAIT_UPDATE_GOLDEN=1 writes it instead.
#pragma once

#include <string>
#include <vector>

namespace plait::report {

/// Expects that the text equals golden/NAME.
void expect_golden(const std::string& text, const std::string& name);

/// Lines joined, each with its end.
std::string joined(const std::vector<std::string>& lines);

}  // namespace plait::report
