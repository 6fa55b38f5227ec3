// SPDX-License-Identifier: BSD-3-Clause
// Which receive takes which message.
#include "transport/matching.hpp"

#include <cstdlib>
#include <new>

namespace plait::transport {

[[gnu::hot]] Early* Early::create(const Arrival& arrival) {
  void* const memory = std::malloc(sizeof(Early) + arrival.here);
  if (memory == nullptr) throw std::bad_alloc();
  return new (memory) Early{arrival, nullptr, nullptr};
}

[[gnu::hot]] void Early::destroy(Early* early) noexcept {
  std::free(early);
}

}  // namespace plait::transport
