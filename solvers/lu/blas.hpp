// SPDX-License-Identifier: BSD-3-Clause
// The routines of the BLAS that the solver calls, each run by the calling thread alone.
#pragma once

#include <string>

namespace plait::lu {

/// Makes the BLAS use no threads of its own. Call once, before any thread calls a routine.
/// @param callers  threads that will call routines at the same time
/// @throws Error if the library does not allow that many
void use_one_blas_thread(int callers);

/// The name and version of the BLAS, if it has a function that gives them; otherwise "BLAS".
std::string blas_name();

// All matrices are stored by columns; `ld` is the distance of two columns.

/// C -= A B for an m x k matrix A and a k x n matrix B.
void multiply_subtract(int m, int n, int k, const double* a, int lda, const double* b, int ldb,
                       double* c, int ldc);
/// B = L^-1 B for a unit lower triangular m x m matrix L and an m x n matrix B.
void solve_unit_lower(int m, int n, const double* l, int ldl, double* b, int ldb);
/// B = B U^-1 for an upper triangular n x n matrix U and an m x n matrix B.
void solve_upper_from_right(int m, int n, const double* u, int ldu, double* b, int ldb);
/// x = U^-1 x for an upper triangular n x n matrix U.
void solve_upper(int n, const double* u, int ldu, double* x);
/// A -= x y^T for an m x n matrix A; the elements of y are `stride` apart.
void rank_one_subtract(int m, int n, const double* x, const double* y, int stride, double* a,
                       int lda);
/// y -= A x for an m x n matrix A.
void multiply_subtract(int m, int n, const double* a, int lda, const double* x, double* y);

}  // namespace plait::lu
