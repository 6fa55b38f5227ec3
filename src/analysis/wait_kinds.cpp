// SPDX-License-Identifier: BSD-3-Clause
// The names of the kinds of waiting.
#include "analysis/analysis.hpp"

namespace plait::analysis {

const char* to_string(WaitKind kind) {
  switch (kind) {
    case WaitKind::kLateSender:
      return "late sender";
    case WaitKind::kLateReceiver:
      return "late receiver";
    case WaitKind::kBarrier:
      return "wait at barrier";
    case WaitKind::kNxN:
      return "wait at NxN";
    case WaitKind::kLateRoot:
      return "late root";
    case WaitKind::kEarlyRoot:
      return "early root";
    case WaitKind::kBeforeFirst:
      return "before the first call";
    case WaitKind::kOther:
      break;
  }
  return "other";
}

}  // namespace plait::analysis
