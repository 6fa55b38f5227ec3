// SPDX-License-Identifier: BSD-3-Clause
// Whether OMPT works in this process.
#pragma once

namespace plait::preload::openmp {

extern bool ompt_active;          ///< a runtime has accepted this object as its tool
const char* ompt_runtime_name();  ///< that runtime's own words; "" before

}  // namespace plait::preload::openmp
