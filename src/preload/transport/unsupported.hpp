// SPDX-License-Identifier: BSD-3-Clause
// Operations that the provider does not have: libfabric calls them without a look.
#pragma once

#include <rdma/fi_errno.h>

namespace plait::preload::provider {

/// Sets functions of any type to one that returns -FI_ENOSYS.
template <class Result, class... Arguments>
void unsupported(Result (*&function)(Arguments...)) noexcept {
  function = [](Arguments...) -> Result { return static_cast<Result>(-FI_ENOSYS); };
}
template <class... Functions>
requires(sizeof...(Functions) > 1) void unsupported(Functions&... functions) noexcept {
  (unsupported(functions), ...);
}

}  // namespace plait::preload::provider
