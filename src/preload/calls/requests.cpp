// SPDX-License-Identifier: BSD-3-Clause
// A table from the handles of persistent requests to the bytes that they move.
#include "preload/calls/requests.hpp"

#include "preload/handle_map.hpp"
#include "preload/recorder.hpp"

namespace plait::preload {
namespace {

struct Kept {
  KeptRequest request;
  uint32_t next;  // the next free one
};

Pool<Kept> kept_requests;
HandleMap indices;  // of the handles in the pool
bool keeps;         // there was a persistent request
int lock;

}  // namespace

void keep_request(Word handle, const KeptRequest& kept) {
  SpinLock hold(&lock);
  uint32_t index = indices.find(handle);
  if (index == HandleMap::kAbsent) index = kept_requests.take();
  if (!index) return;
  kept_requests[index].request = kept;
  indices.set(handle, index);
  __atomic_store_n(&keeps, true, __ATOMIC_RELEASE);
}

bool find_request(Word handle, KeptRequest* kept) {
  SpinLock hold(&lock);
  const uint32_t index = indices.find(handle);
  if (index == HandleMap::kAbsent) return false;
  *kept = kept_requests[index].request;
  return true;
}

void forget_request(Word handle) {
  if (!record || !__atomic_load_n(&keeps, __ATOMIC_ACQUIRE)) return;
  SpinLock hold(&lock);
  const uint32_t index = indices.find(handle);
  if (index == HandleMap::kAbsent) return;
  indices.remove(handle);
  kept_requests.give_back(index);
}

}  // namespace plait::preload
