// SPDX-License-Identifier: BSD-3-Clause
// The measured memory bandwidth that bounds a program.
#include "report/stream_bound.hpp"

#include <fmt/format.h>

#include "machine/machine_file.hpp"
#include "text/counted.hpp"

namespace plait::report {

const machine::StreamResult* best_stream(const machine::MachineFile* machine, int threads) {
  const machine::StreamResult* best = nullptr;
  if (machine == nullptr || !machine->measured) return best;
  for (const machine::StreamResult& result : machine->measured->stream) {
    if (threads > 0 && result.threads != threads) continue;
    if (best == nullptr || result.gbs.median > best->gbs.median) best = &result;
  }
  return best;
}

std::string stream_name(const machine::StreamResult& stream) {
  return fmt::format("STREAM {}, {}", stream.kernel, counted(stream.threads, "thread"));
}

}  // namespace plait::report
