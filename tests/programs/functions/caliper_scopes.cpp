// SPDX-License-Identifier: BSD-3-Clause
// The annotation classes of the library that stands for Caliper: they count, too.
#include "scopes.hpp"

extern "C" void cali_count(const void* of);

namespace cali {

Function::Function(const char* name) {
  cali_count(name);
}
Function::~Function() {
  cali_count(this);
}
ScopeAnnotation::ScopeAnnotation(const char* name) {
  cali_count(name);
}
ScopeAnnotation::~ScopeAnnotation() {
  cali_count(this);
}

}  // namespace cali
