// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of plait predict that have their own source.
#pragma once

#include "advise/given_network.hpp"
#include "cli/command.hpp"

namespace plait::cli {

/// Options for figures of the network that were not measured.
void add_network_options(Command& command, advise::GivenNetwork& network);

/// Adds `cg` and `hpl`: what nodes send each other with one process per core and with one per node,
/// and with a machine the times of both.
void add_predict_volume(Command& predict);

/// Adds `boussinesq`: time per step and memory on ranks and threads.
void add_predict_boussinesq(Command& predict);

}  // namespace plait::cli
