// SPDX-License-Identifier: BSD-3-Clause
// Scopes in C++ that are annotated as CALI_CXX_MARK_FUNCTION and CALI_CXX_MARK_SCOPE do.
#include "scopes.hpp"

extern "C" void use_scopes(void) {
  const cali::Function function("use_scopes");
  for (int i = 0; i < 2; ++i) {
    const cali::ScopeAnnotation scope("scope");
  }
}
