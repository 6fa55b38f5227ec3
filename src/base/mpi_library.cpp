// SPDX-License-Identifier: BSD-3-Clause
// Shortens the version string of an MPI library.
#include "base/mpi_library.hpp"

#include <regex>

#include "base/short_lines.hpp"

namespace plait {

std::string short_library(const std::string& library) {
  const std::string text = with_short_lines(library);
  std::smatch match;
  static const std::regex kOpenMpi("Open MPI v?([0-9][^,\\s]*)");
  static const std::regex kIntel("Intel\\(R\\) MPI Library ([0-9][^,\\s]*)");
  static const std::regex kMpich("MPICH Version:[ \\t]*([0-9][^,\\s]*)");
  if (std::regex_search(text, match, kOpenMpi)) return "Open MPI " + match[1].str();
  if (std::regex_search(text, match, kIntel)) return "Intel MPI " + match[1].str();
  if (std::regex_search(text, match, kMpich)) return "MPICH " + match[1].str();
  return text.substr(0, text.find_first_of(",\n\t"));
}

}  // namespace plait
