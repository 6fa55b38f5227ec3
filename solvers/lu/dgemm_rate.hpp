// SPDX-License-Identifier: BSD-3-Clause
// The rate of the BLAS's matrix product on one core, the bound of the solver's rate.
#pragma once

namespace plait::lu {

/// Flop/s of a product C -= A B with square matrices of 2000 rows: the median of five. Local.
/// @throws std::bad_alloc
double dgemm_flops_per_s();

}  // namespace plait::lu
