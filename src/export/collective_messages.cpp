// SPDX-License-Identifier: BSD-3-Clause
// Expands collectives into messages.
#include "export/collective_messages.hpp"

namespace plait::exports {
namespace {

using replay::Pattern;
using std::uint32_t;

std::vector<uint32_t> others(uint32_t first, uint32_t end, uint32_t index) {
  std::vector<uint32_t> members;
  for (uint32_t member = first; member < end; ++member) {
    if (member != index) members.push_back(member);
  }
  return members;
}

Phase towards(uint32_t root, uint32_t members, uint32_t index) {
  Phase phase;
  if (index == root) {
    phase.receive_from = others(0, members, index);
  } else {
    phase.send_to = {root};
  }
  return phase;
}

Phase away_from(uint32_t root, uint32_t members, uint32_t index) {
  Phase phase = towards(root, members, index);
  phase.send_to.swap(phase.receive_from);
  return phase;
}

}  // namespace

std::vector<Phase> collective_phases(Pattern pattern, uint32_t members, uint32_t index,
                                     uint32_t root, bool at_once) {
  if (members < 2) return {};
  const std::vector<Phase> with_all = {{others(0, members, index), others(0, members, index)}};
  switch (pattern) {
    case Pattern::broadcast:
    case Pattern::scatter:
      return {away_from(root, members, index)};
    case Pattern::reduce:
    case Pattern::gather:
      return {towards(root, members, index)};
    case Pattern::scan: {
      if (at_once) return {{others(index, members, index), others(0, index, index)}};
      std::vector<Phase> chain;
      if (index > 0) chain.push_back({{}, {index - 1}});
      if (index + 1 < members) chain.push_back({{index + 1}, {}});
      return chain;
    }
    case Pattern::alltoall:
      return with_all;
    case Pattern::barrier:
    case Pattern::allreduce:
    case Pattern::allgather:
    case Pattern::reduce_scatter:
      break;
  }
  if (at_once) return with_all;
  return {towards(0, members, index), away_from(0, members, index)};
}

}  // namespace plait::exports
