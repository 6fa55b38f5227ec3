// SPDX-License-Identifier: BSD-3-Clause
// Counters of operations on remote memory, which the provider does not have: they stay 0.
#include "preload/transport/counter.hpp"

#include <rdma/fi_errno.h>

#include <cstdint>

#include "preload/transport/unsupported.hpp"

namespace plait::preload::provider {
namespace {

struct CounterOperations {
  static int close_object(fid_t fid) noexcept {
    delete reinterpret_cast<fid_cntr*>(fid);
    return FI_SUCCESS;
  }
  static uint64_t read_value(fid_cntr*) noexcept { return 0; }

  fi_ops object{};
  fi_ops_cntr counter{};

  CounterOperations() {
    object.size = sizeof object;
    object.close = close_object;
    unsupported(object.bind, object.control, object.ops_open, object.tostr, object.ops_set);
    counter.size = sizeof counter;
    counter.read = read_value;
    counter.readerr = read_value;
    unsupported(counter.add, counter.set, counter.wait, counter.adderr, counter.seterr);
  }
};

}  // namespace

int open_counter(fid_cntr** counter, void* context) {
  static CounterOperations operations;
  auto* const made = new fid_cntr{};
  made->fid = {FI_CLASS_CNTR, context, &operations.object};
  made->ops = &operations.counter;
  *counter = made;
  return FI_SUCCESS;
}

}  // namespace plait::preload::provider
