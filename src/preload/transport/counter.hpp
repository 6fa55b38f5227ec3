// SPDX-License-Identifier: BSD-3-Clause
// Counters of operations on remote memory, which the provider does not have: they stay 0.
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>

namespace plait::preload::provider {

/// MPICH opens one, also if it does not use remote memory. @throws std::bad_alloc
int open_counter(fid_cntr** counter, void* context);

}  // namespace plait::preload::provider
