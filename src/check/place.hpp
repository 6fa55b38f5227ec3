// SPDX-License-Identifier: BSD-3-Clause
// Describes operations and calls for findings.
#pragma once

#include <cstdint>
#include <string>

#include "check/finding.hpp"
#include "check/job.hpp"

namespace plait::check {

/// An operation: its function, and "4 MPI_INT to rank 1, tag 3 on MPI_COMM_WORLD".
Place place_of(const Job& job, std::uint32_t process, std::uint32_t op);

/// A call without an operation.
Place place_of_call(const Job& job, std::uint32_t process, std::uint32_t function,
                    std::uint32_t site);

/// "MPI_COMM_WORLD", "a communicator of ranks 0, 1 and 2"; null: "an unknown communicator".
std::string comm_text(const trace::Communicator* comm);

}  // namespace plait::check
