// SPDX-License-Identifier: BSD-3-Clause
// Calls the BLAS through its C interface.
#include "blas.hpp"

#include <cblas.h>
#include <dlfcn.h>

#include "plait/error.hpp"

namespace plait::lu {
namespace {

/// A function that only some libraries have; nullptr if this one does not.
template <class Function>
Function* optional(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void use_one_blas_thread(int callers) {
  // OpenBLAS without threads shares buffers between calls, unless it was built with locks.
  auto* parallel = optional<int()>("openblas_get_parallel");
  auto* config = optional<char*()>("openblas_get_config");
  const bool unsafe = parallel != nullptr && parallel() == 0 && config != nullptr &&
                      std::string(config()).find("USE_LOCKING") == std::string::npos;
  if (callers > 1 && unsafe) {
    throw Error(blas_name(), "built without threads, so only one thread may call it",
                "use libopenblas0-pthread (Debian) or --threads 1");
  }
  for (const char* name : {"openblas_set_num_threads", "bli_thread_set_num_threads"}) {
    if (auto* set = optional<void(int)>(name)) set(1);
  }
}

std::string blas_name() {
  if (auto* config = optional<char*()>("openblas_get_config")) {
    const std::string text = config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ... Haswell"
    std::string name = text.substr(0, text.find(' ', text.find(' ') + 1));
    if (auto* core = optional<char*()>("openblas_get_corename")) {
      name += std::string(" (") + core() + ")";
    }
    return name;
  }
  return optional<void(int)>("bli_thread_set_num_threads") != nullptr ? "BLIS" : "BLAS";
}

void multiply_subtract(int m, int n, int k, const double* a, int lda, const double* b, int ldb,
                       double* c, int ldc) {
  if (m <= 0 || n <= 0 || k <= 0) return;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, -1.0, a, lda, b, ldb, 1.0, c,
              ldc);
}

void solve_unit_lower(int m, int n, const double* l, int ldl, double* b, int ldb) {
  if (m <= 0 || n <= 0) return;
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m, n, 1.0, l, ldl, b,
              ldb);
}

void solve_upper_from_right(int m, int n, const double* u, int ldu, double* b, int ldb) {
  if (m <= 0 || n <= 0) return;
  cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, m, n, 1.0, u, ldu,
              b, ldb);
}

void solve_upper(int n, const double* u, int ldu, double* x) {
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, u, ldu, x, 1);
}

void rank_one_subtract(int m, int n, const double* x, const double* y, int stride, double* a,
                       int lda) {
  if (m <= 0 || n <= 0) return;
  cblas_dger(CblasColMajor, m, n, -1.0, x, 1, y, stride, a, lda);
}

void multiply_subtract(int m, int n, const double* a, int lda, const double* x, double* y) {
  if (m <= 0 || n <= 0) return;
  cblas_dgemv(CblasColMajor, CblasNoTrans, m, n, -1.0, a, lda, x, 1, 1.0, y, 1);
}

}  // namespace plait::lu
