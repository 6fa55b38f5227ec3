// SPDX-License-Identifier: BSD-3-Clause
// Generates traces of many ranks: packed files, as plait run --trace writes.
#pragma once

#include <cstdint>
#include <filesystem>

#include "generated_profile.hpp"

namespace plait::generated {

/// Writes run.json, records/*.rec and trace/*.ptrace into a folder that does not exist yet. In each
/// step a rank computes, exchanges messages with its neighbours (Irecv, Isend, Waitall) and reduces
/// with all ranks. Ranks compute as long as compute_s() says, in ms, and a tenth more or less in
/// each step.
/// @param events  of all ranks, at least
/// @returns their number
std::uint64_t write_trace(const RunShape& shape, std::uint64_t events,
                          const std::filesystem::path& run);

/// As write_trace(), but writes only trace/*.ptrace.
std::uint64_t write_events(const RunShape& shape, std::uint64_t events,
                           const std::filesystem::path& run);

}  // namespace plait::generated
