// SPDX-License-Identifier: BSD-3-Clause
// Prints what messages cost on a cluster: LogGP, switches, overlap, all-to-all, collectives.
#pragma once

#include <string>

#include "machine/measured.hpp"

namespace plait::machine {

/// The tables of what was found between processes, each behind an empty line; empty without any.
std::string show_messages(const Measured& measured);

}  // namespace plait::machine
