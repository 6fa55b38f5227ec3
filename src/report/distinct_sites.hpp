// SPDX-License-Identifier: BSD-3-Clause
// Call sites of all ranks, of which most have the same.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/rank_record.hpp"

namespace plait::report {

/// Numbers call sites; those with the same frames have one number. Records that were read together
/// share the paths of modules, which this relies on: equal sites of other records may get several.
class DistinctSites {
public:
  /// @param site  outlives this object
  std::size_t index_of(const trace::Site& site);

  /// By number, each as it was first seen.
  [[nodiscard]] const std::vector<const trace::Site*>& sites() const { return sites_; }

private:
  std::unordered_map<std::string, std::size_t> indices_;  // by the frames' modules and offsets
  std::vector<const trace::Site*> sites_;
  std::string key_;
};

}  // namespace plait::report
