// SPDX-License-Identifier: BSD-3-Clause
// Caliper's annotation classes, as its header declares them.
#pragma once

namespace cali {

class Function {
public:
  explicit Function(const char* name);
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  ~Function();
};

class ScopeAnnotation {
public:
  explicit ScopeAnnotation(const char* name);
  ScopeAnnotation(const ScopeAnnotation&) = delete;
  ScopeAnnotation& operator=(const ScopeAnnotation&) = delete;
  ~ScopeAnnotation();
};

}  // namespace cali
