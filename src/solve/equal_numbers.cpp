// SPDX-License-Identifier: BSD-3-Clause
// Checks that all ranks have been given the same numbers.
#include "solve/equal_numbers.hpp"

#include <fmt/format.h>

#include <vector>

#include "plait/environment.hpp"

namespace plait::solve {

void require_equal_numbers(MPI_Comm comm, const std::string& input,
                           std::span<const NamedNumber> numbers) {
  std::vector<std::int64_t> ends;
  for (const NamedNumber& named : numbers) {
    ends.push_back(named.number);
    ends.push_back(-named.number);
  }
  MPI_Allreduce(MPI_IN_PLACE, ends.data(), static_cast<int>(ends.size()), MPI_INT64_T, MPI_MAX,
                comm);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (ends[2 * i] == -ends[2 * i + 1]) continue;
    throw CollectiveError(input,
                          fmt::format("the ranks disagree on {}: values from {} to {}",
                                      numbers[i].name, -ends[2 * i + 1], ends[2 * i]),
                          "give the same value on all ranks");
  }
}

}  // namespace plait::solve
