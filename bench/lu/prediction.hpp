// SPDX-License-Identifier: BSD-3-Clause
// The model's times of plait-lu on two nodes of one core, beside the measured ones.
#pragma once

namespace plait::bench {

/// Prints the predicted times of PC and TC, the communication's share of PC, and the rate of the
/// network below which that share is above a quarter, where TC has to win.
/// @param flops_per_s  of the matrix product on one core
/// @param rows, columns  the grid of two ranks
void print_prediction(int size, int block, int rows, int columns, int mbit, double flops_per_s);

}  // namespace plait::bench
