// SPDX-License-Identifier: BSD-3-Clause
// A word as a shell takes it for one.
#pragma once

#include <string>

namespace plait {

/// The word itself, quoted where a shell would take it apart or read something into it.
std::string shell_word(const std::string& word);

}  // namespace plait
