// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of plait predict that have their own source.
#pragma once

#include "cli/command.hpp"

namespace plait::cli {

/// Adds `cg` and `hpl`: what nodes send each other with one process per core and with one per node.
void add_predict_volume(Command& predict);

}  // namespace plait::cli
