// SPDX-License-Identifier: BSD-3-Clause
// Checks that all ranks have been given the same numbers.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

namespace plait::solve {

struct NamedNumber {
  const char* name;
  std::int64_t number;
};

/// Collective. @throws CollectiveError about `input` if a number differs between ranks
void require_equal_numbers(MPI_Comm comm, const std::string& input,
                           std::span<const NamedNumber> numbers);

}  // namespace plait::solve
