// SPDX-License-Identifier: BSD-3-Clause
// Turns the calls of one rank into symbols.
#include "analysis/call_symbols.hpp"

#include <string_view>
#include <unordered_map>

#include "analysis/hash.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

/// Numbers hashes in the order of their first occurrence.
class Numbers {
public:
  std::uint32_t operator()(std::uint64_t hash) {
    return known_.try_emplace(hash, static_cast<std::uint32_t>(known_.size())).first->second;
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(known_.size()); }

private:
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

}  // namespace

std::uint64_t hash_of_place(const trace::Trace& trace, const trace::Shape& shape) {
  std::uint64_t hash = 1;
  if (shape.function < trace.functions.size()) hash = hash_text(trace.functions[shape.function]);
  if (shape.site >= trace.sites.size()) return mix(hash);
  for (const trace::CodeAddress& frame : trace.sites[shape.site].frames) {
    const std::string_view module = frame.module.text();
    const std::uint64_t file = hash_text(module.substr(module.find_last_of('/') + 1));
    hash = mix(hash, mix(file, frame.offset));
  }
  return mix(hash);
}

CallSymbols symbols_of(const trace::Trace& trace, const Lane& lane) {
  struct Known {
    std::uint32_t symbol = kNone, place = kNone;
  };
  std::vector<Known> known(trace.shapes.size());
  Numbers symbols;
  Numbers places;
  CallSymbols of;
  for (std::uint32_t call = 0; call < lane.calls.size(); ++call) {
    const trace::Event* event = event_of(trace, lane, call);
    if (event == nullptr) continue;
    const trace::Shape& shape = trace.shape(*event);
    if (shape.kind == trace::EventKind::poll) continue;
    Known& at = known[event->shape];
    if (at.symbol == kNone) {
      const std::uint64_t hash = hash_of_place(trace, shape);
      at.place = places(hash);
      if (at.place == of.place_hash.size()) of.place_hash.push_back(hash);
      const auto peer = static_cast<std::uint32_t>(shape.peer);
      at.symbol = symbols(mix(hash, (std::uint64_t{shape.comm} << 32) | peer));
    }
    of.call.push_back(call);
    of.symbol.push_back(at.symbol);
    of.place.push_back(at.place);
  }
  of.symbols = symbols.size();
  of.places = places.size();
  return of;
}

}  // namespace plait::analysis
