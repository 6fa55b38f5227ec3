// SPDX-License-Identifier: BSD-3-Clause
// The predictions of plait predict that have a file of their own.
#pragma once

#include <CLI/CLI.hpp>

namespace plait::cli {

/// Adds `cg` and `hpl`: what nodes send each other with a process a core and with one a node.
/// @param predict  the subcommand plait predict
void add_predict_volume(CLI::App& predict, int& exit_code);

}  // namespace plait::cli
