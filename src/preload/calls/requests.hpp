// SPDX-License-Identifier: BSD-3-Clause
// Persistent requests: the bytes that each start moves.
#pragma once

#include <stdint.h>

#include "preload/handles.hpp"

namespace plait::preload {

struct KeptRequest {
  uint64_t bytes;
  uint32_t function, comm, peer;
  int32_t world_rank;  ///< to which it sends; -1: none, or it receives
  int32_t root;        ///< of a persistent collective; -1: none
  uint64_t total;      ///< bytes that a start hands over to all partners
};

/// Each takes a lock. Without memory, further requests count without bytes.
void keep_request(Word handle, const KeptRequest& kept);
bool find_request(Word handle, KeptRequest* kept);
void forget_request(Word handle);

}  // namespace plait::preload
