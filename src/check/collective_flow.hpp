// SPDX-License-Identifier: BSD-3-Clause
// What the members of a collective call need from each other, by its function.
#pragma once

#include <string>

namespace plait::check {

/// What a member of a collective call needs before its call can end.
enum class Flow {
  none,       ///< nothing, or it is not known
  all,        ///< data of all members
  exchange,   ///< data of those members that send it any: at most all
  from_root,  ///< the root's data
  to_root     ///< the root: data of all members; the others: nothing
};

/// By the name of the function.
Flow flow_of(const std::string& function);

}  // namespace plait::check
