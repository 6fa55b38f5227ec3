// SPDX-License-Identifier: BSD-3-Clause
// Prints the cost of messages on a cluster: LogGP, switches, overlap, all-to-all, collectives.
#pragma once

#include <string>

#include "machine/measured.hpp"

namespace plait::machine {

/// The tables of measurements between processes, each after an empty line; empty without any.
std::string show_messages(const Measured& measured);

}  // namespace plait::machine
