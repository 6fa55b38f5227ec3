// SPDX-License-Identifier: BSD-3-Clause
// Room of vectors that is not used.
#pragma once

#include <vector>

namespace plait {

/// Gives back the room of a vector that will not grow, unless it is less than an eighth: that is
/// not worth a copy.
template <class Value>
void drop_spare_room(std::vector<Value>& values) {
  if (values.capacity() - values.size() > values.capacity() / 8) values.shrink_to_fit();
}

}  // namespace plait
