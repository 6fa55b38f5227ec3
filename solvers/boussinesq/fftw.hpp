// SPDX-License-Identifier: BSD-3-Clause
// FFTW instead of Plait's own transforms. Its bits depend on how many lines it transforms at a time
// and on the processor. It is loaded at run time: FFTW has the GPL, which Plait's programs need not
// have.
#pragma once

#include <memory>

#include "lanes.hpp"

namespace plait::boussinesq {

/// Transforms made later use FFTW, or no longer. One thread at a time.
/// @throws Error if the library is not installed
void use_fftw(bool use);

/// Plans for eight lines.
class FftwPlan {
public:
  /// @return nullptr if FFTW is not in use
  static std::shared_ptr<const FftwPlan> make(int length);
  ~FftwPlan();
  FftwPlan(const FftwPlan&) = delete;
  FftwPlan& operator=(const FftwPlan&) = delete;

  /// See Fft::transform. Several threads may call it at the same time.
  void transform(Pair* line, Pair* result, bool inverse) const;

private:
  FftwPlan(void* forward, void* inverse) : forward_(forward), inverse_(inverse) {}
  void *forward_, *inverse_;
};

}  // namespace plait::boussinesq
