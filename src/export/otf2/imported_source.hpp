// SPDX-License-Identifier: BSD-3-Clause
// One process of an imported archive as a source of events for the packer.
#pragma once

#include <cstdint>
#include <vector>

#include "export/otf2/imported.hpp"
#include "trace/event_source.hpp"

namespace plait::otf2 {

/// The columns of a chunk.
struct Columns {
  std::uint32_t thread = 0;
  std::uint64_t first_ticks = 0, first_request = 1;
  std::vector<std::uint32_t> shape, gap, duration, words;
};

/// Encoded calls; see src/trace/event_format.h.
struct Encoded {
  std::vector<trace::FunctionName> functions;
  std::vector<trace::UserRegion> regions;
  std::vector<std::uint32_t> comms;  ///< Imported::comms that it uses; shapes count them from 1
  std::vector<plait_shape> shapes;
  std::vector<Columns> chunks;
};

/// Numbers the process' requests and encodes its calls.
Encoded encode_calls(const Imported& imported, Process& process);

/// The events of one process. Ticks are nanoseconds of the archive's clock, which all hosts share.
class ImportedSource final : public trace::EventSource {
public:
  ImportedSource(const Imported& imported, std::uint32_t rank, Process& process);

  [[nodiscard]] std::size_t chunk_count() const override { return encoded_.chunks.size(); }
  [[nodiscard]] std::uint64_t chunk_events(std::size_t index) const override {
    return encoded_.chunks[index].shape.size();
  }
  trace::EventChunk chunk(std::size_t index) override;

private:
  void define(const Imported& imported, std::uint32_t rank, const Process& process);

  Encoded encoded_;
};

}  // namespace plait::otf2
