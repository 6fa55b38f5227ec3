// SPDX-License-Identifier: BSD-3-Clause
// In place of compress.cpp where there is no zstd to link into a preload object.
#include "preload/trace/compress.hpp"

namespace plait::preload::trace {

void compress_event_file() {}

}  // namespace plait::preload::trace
