// SPDX-License-Identifier: BSD-3-Clause
// Call sites of all ranks, of which most have the same.
#include "report/distinct_sites.hpp"

namespace plait::report {

std::size_t DistinctSites::index_of(const trace::Site& site) {
  key_.clear();
  for (const trace::CodeAddress& frame : site.frames) {
    const void* const module = frame.module.identity();
    key_.append(reinterpret_cast<const char*>(&module), sizeof module);
    key_.append(reinterpret_cast<const char*>(&frame.offset), sizeof frame.offset);
  }
  const auto [known, added] = indices_.try_emplace(key_, sites_.size());
  if (added) sites_.push_back(&site);
  return known->second;
}

}  // namespace plait::report
