// SPDX-License-Identifier: BSD-3-Clause
// Costs of messages on a measured machine, as the search for a mapping uses them.
#pragma once

#include <string>

#include "machine/measured.hpp"
#include "mapping/gain.hpp"
#include "mapping/mapping.hpp"

namespace plait::mapping {

/// Costs from a machine file. A message costs the latency of its path, and its bytes the bandwidth
/// of one pair, both from model::link_of() at 1 MiB: ping-ping if measured, because both sides send
/// in an exchange. Levels: "node", "package", "numa", the outermost shared cache, "smt"; an
/// unmeasured level costs as much as the next measured level outside it, else inside it. Between
/// nodes: the path "network". The card: g of the path's LogGP, if measured, and the bandwidth of
/// the largest measured number of pairs at once. Everything else (no network, nothing inside a
/// node) comes from default_costs().
Costs costs_of(const machine::Measured& measured);

/// The same with the intervals of the measurements. Unmeasured costs range from half to twice the
/// default. `measured` is true if the network was measured.
/// @param name  the name of the machine, for `from`
CostsRange costs_range_of(const machine::Measured& measured, const std::string& name);

}  // namespace plait::mapping
