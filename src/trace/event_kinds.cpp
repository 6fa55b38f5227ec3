// SPDX-License-Identifier: BSD-3-Clause
// The words for kinds of events.
#include "trace/trace.hpp"

namespace plait::trace {

std::string_view kind_word(EventKind kind) {
  switch (kind) {
    case EventKind::kOther:
      return "other";
    case EventKind::kSend:
      return "send";
    case EventKind::kReceive:
      return "receive";
    case EventKind::kSendReceive:
      return "send_receive";
    case EventKind::kStart:
      return "start";
    case EventKind::kComplete:
      return "complete";
    case EventKind::kPoll:
      return "poll";
    case EventKind::kProbe:
      return "probe";
    case EventKind::kCollective:
      return "collective";
    case EventKind::kOneSided:
      return "one_sided";
    case EventKind::kParallel:
      return "parallel";
    case EventKind::kWork:
      return "work";
    case EventKind::kRegion:
      return "region";
  }
  return "other";
}

}  // namespace plait::trace
