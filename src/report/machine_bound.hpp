// SPDX-License-Identifier: BSD-3-Clause
// What the machine file measured that bounds a program: memory bandwidth, floating-point peak.
#pragma once

#include <string>

namespace plait::machine {
struct MachineFile;
struct PeakResult;
struct StreamResult;
}  // namespace plait::machine

namespace plait::report {

/// The largest measured bandwidth of a node's memory; null: not measured.
/// @param machine  may be null
/// @param threads  only by so many; 0: by any number
const machine::StreamResult* best_stream(const machine::MachineFile* machine, int threads = 0);

/// "STREAM triad, 8 threads"
std::string stream_name(const machine::StreamResult& stream);

/// The largest measured floating-point speed of a node's cores; null: not measured.
/// @param machine  may be null
/// @param cores    only of so many; 0: of any number
const machine::PeakResult* best_peak(const machine::MachineFile* machine, int cores = 0);

/// "peak (AVX2), 8 cores"
std::string peak_name(const machine::PeakResult& peak);

}  // namespace plait::report
