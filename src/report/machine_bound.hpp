// SPDX-License-Identifier: BSD-3-Clause
// The measured memory bandwidth that bounds a program.
#pragma once

#include <string>

namespace plait::machine {
struct MachineFile;
struct StreamResult;
}  // namespace plait::machine

namespace plait::report {

/// The largest measured bandwidth of a node's memory; null: not measured.
/// @param machine  may be null
/// @param threads  only by so many; 0: by any number
const machine::StreamResult* best_stream(const machine::MachineFile* machine, int threads = 0);

/// "STREAM triad, 8 threads"
std::string stream_name(const machine::StreamResult& stream);

}  // namespace plait::report
