// SPDX-License-Identifier: BSD-3-Clause
// No exception reaches the MPI library.
#pragma once

#include <rdma/fi_errno.h>

namespace plait::preload::provider {

/// What `call` returns, or -FI_ENOMEM if it throws: only memory can be missing.
template <class Call>
auto guarded(Call call) noexcept -> decltype(call()) {
  try {
    return call();
  } catch (...) {
    return -FI_ENOMEM;
  }
}

}  // namespace plait::preload::provider
