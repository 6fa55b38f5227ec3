// SPDX-License-Identifier: BSD-3-Clause
// The job that this process belongs to, as its launcher describes it in variables.
#pragma once

#include <cstdint>
#include <string>

namespace plait::preload::provider {

struct Job {
  uint32_t ranks = 0;        ///< of the whole job; 0: not a process of a job
  uint32_t local_ranks = 0;  ///< on this node
  std::string key;           ///< characters for the name of a file, the same in all its processes
};

/// @param variable  as getenv()
Job job_of(const char* (*variable)(const char* name));

/// Why the job cannot use a transport of one node; empty: it can.
std::string refusal_of(const Job& job);

}  // namespace plait::preload::provider
