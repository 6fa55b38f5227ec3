// SPDX-License-Identifier: BSD-3-Clause
// What messages cost on a measured machine, as the choice of a mapping takes it.
#pragma once

#include <string>

#include "machine/measured.hpp"
#include "map/gain.hpp"
#include "map/mapping.hpp"

namespace plait::map {

/// Costs from a machine file. A message on a path takes the latency, and its bytes the bandwidth of
/// one pair, of model::link_of() at 1 MiB: ping-ping where measured, for in an exchange both sides
/// send. Levels: "node", "package", "numa", the outermost shared cache, "smt"; a level that was not
/// measured has the costs of the next measured one outside it, else inside. Between nodes: the path
/// "network". The card: g of its LogGP where that was measured, and the bandwidth of the most pairs
/// at once. What cannot be had so (no network, nothing inside a node) is as in default_costs().
Costs costs_of(const machine::Measured& measured);

/// The same with the intervals of the figures; what is not measured from half to twice as much.
/// `measured` is true when the machine's network was.
/// @param name  of the machine, for `from`
CostsRange costs_range_of(const machine::Measured& measured, const std::string& name);

}  // namespace plait::map
