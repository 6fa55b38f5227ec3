// SPDX-License-Identifier: BSD-3-Clause
// Measurements on a machine as text: figures with intervals, sentences.
#pragma once

#include <string>

#include "machine/measured.hpp"

namespace plait::machine {

/// A median with its interval for a table: "250 ns (237-263)", "177 (one sample)".
/// @param unit    factor to what is formatted: 1e-6 for microseconds, 1e9 for GB/s
/// @param format  such as format_seconds
std::string statistic_text(const Statistic& value, double unit, std::string (*format)(double));

/// "Open MPI 4.1.4"; "this MPI" when it is unknown.
std::string mpi_name(const Measured& measured);

/// One verdict on overlap as a sentence: "Open MPI 4.1.4 does not move long messages between nodes
/// while the program computes: 3 % hidden (1 to 5 %)", or "it is undecided whether ...".
/// @param mpi  as mpi_name() returns it
std::string overlap_sentence(const OverlapVerdict& verdict, const std::string& mpi);

/// One verdict on messages inside a node and between nodes as a sentence: "messages inside a node
/// and eager messages between nodes overlap if one process sends both, which is rank 0: 93 % of the
/// shorter one are hidden (90 to 95 %)".
std::string mixed_sentence(const MixedVerdict& verdict);

/// What further threads on a core gain, in a sentence: "With 2 threads per core instead of one,
/// memory-bound work is 3 % slower, and compute-bound work is as fast" (their intervals overlap).
/// Empty if that was not measured or no figure is usable.
std::string hardware_threads_sentence(const Measured& measured);

/// One sentence about all verdicts on long messages: what the MPI does by default, and which
/// settings change that. "Open MPI 4.1.4 does not move long messages while the program computes;
/// with a communicating thread it does". Verdicts between nodes take precedence over those inside a
/// node, and eager messages are used only if there are no long ones. Undecided verdicts are named
/// as such. Empty without verdicts. "overlap_headline" in the machine file.
std::string overlap_headline(const Measured& measured);

}  // namespace plait::machine
