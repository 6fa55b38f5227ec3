// SPDX-License-Identifier: BSD-3-Clause
// The common name of the forms of a collective call.
#include "trace/collective_name.hpp"

#include <cctype>
#include <string_view>

namespace plait::trace {

std::string blocking_name(const std::string& function) {
  constexpr std::string_view prefix = "MPI_";
  std::string name = function;
  for (const std::string_view end : {"_c", "_init"}) {
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  }
  if (name.starts_with(prefix)) name.erase(0, prefix.size());
  if (name.size() > 1 && name.starts_with('I') && !name.starts_with("Intercomm")) {
    name.erase(0, 1);
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  }
  return name;
}

}  // namespace plait::trace
