// SPDX-License-Identifier: BSD-3-Clause
// What the machine file measured that bounds a program: memory bandwidth, floating-point peak.
#include "report/machine_bound.hpp"

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

const machine::PeakResult* best_peak(const machine::MachineFile* machine, int cores) {
  const machine::PeakResult* best = nullptr;
  if (machine == nullptr || !machine->measured) return best;
  for (const machine::PeakResult& result : machine->measured->peak) {
    if (cores > 0 && result.cores != cores) continue;
    if (best == nullptr || result.gflops.median > best->gflops.median) best = &result;
  }
  return best;
}

std::string peak_name(const machine::PeakResult& peak) {
  return fmt::format("peak ({}), {}", peak.isa, counted(peak.cores, "core"));
}

}  // namespace plait::report
