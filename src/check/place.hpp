// SPDX-License-Identifier: BSD-3-Clause
// Names operations and calls for findings.
#pragma once

#include <cstdint>
#include <string>

#include "check/finding.hpp"
#include "check/job.hpp"

namespace plait::check {

/// The operation as a place: its function, "4 MPI_INT to rank 1, tag 3 on MPI_COMM_WORLD".
Place place_of(const Job& job, std::uint32_t process, std::uint32_t op);

/// A call that is no operation.
Place place_of_call(const Job& job, std::uint32_t process, std::uint32_t function,
                    std::uint32_t site);

/// "MPI_COMM_WORLD", "a communicator of ranks 0, 1 and 2".
std::string comm_text(const trace::Communicator* comm);

}  // namespace plait::check
