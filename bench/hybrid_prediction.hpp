// SPDX-License-Identifier: BSD-3-Clause
// The model's times of a solver on two nodes, beside the measured ones.
#pragma once

#include "model/hybrid_programs.hpp"

namespace plait::bench {

/// Prints the predicted times of PC and TC, the communication's share of PC, and the rates of the
/// network below which that share is above a quarter, where TC has to win, and above a half, where
/// the communication takes longer than what could hide it.
/// @param of           on two nodes
/// @param cores        of each node
/// @param flops_per_s  of the solver's product on one core
void print_prediction(const model::HybridCase& of, int cores, int mbit, double flops_per_s);

}  // namespace plait::bench
