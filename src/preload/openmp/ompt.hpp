// SPDX-License-Identifier: BSD-3-Clause
// The state of OMPT in this process.
#pragma once

namespace plait::preload::openmp {

extern bool ompt_active;          ///< a runtime has accepted this object as its tool
const char* ompt_runtime_name();  ///< as the runtime names itself; "" before

}  // namespace plait::preload::openmp
