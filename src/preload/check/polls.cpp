// SPDX-License-Identifier: BSD-3-Clause
// Follows loops that poll: calls that look for messages or the end of requests and find none.
#include "preload/check/requests.hpp"

namespace plait::preload {
namespace {

bool is_probe(const Traits& traits) {
  return traits.role == Role::probe || traits.role == Role::matched_probe;
}

// The call succeeded, and found neither a message nor the end of a request.
bool found_nothing(const Arguments& given, const Traits& traits) {
  if (traits.role == Role::test && traits.ends == Ends::some)
    return given.outcount && *given.outcount == 0;
  return given.flag && !*given.flag;
}

void keep_probe(const Checker& checker) {
  plait_check_polls& polls = checker.published->polls;
  const Arguments& given = checker.given;
  const plait_check_probe probe = {checker.comm, kept_rank(given.source), kept_tag(given.tag)};
  if (!probe.comm) polls.unknown = 1;
  const uint32_t listed = polls.probed < PLAIT_CHECK_PROBED ? polls.probed : PLAIT_CHECK_PROBED;
  for (uint32_t i = 0; i < listed; ++i) {
    const plait_check_probe& known = polls.probes[i];
    if (known.comm == probe.comm && known.peer == probe.peer && known.tag == probe.tag) return;
  }
  if (polls.probed < PLAIT_CHECK_PROBED) polls.probes[polls.probed] = probe;
  ++polls.probed;
}

}  // namespace

void polls_begin(Checker& checker, const Traits& traits) {
  plait_check_thread& published = *checker.published;
  checker.polls = traits.role == Role::test || (is_probe(traits) && checker.given.flag);
  plait_check_polls& polls = published.polls;
  if (checker.polls) {
    polls.slow += published.entered - checker.left > PLAIT_CHECK_SLOW ? 1 : 0;
    return;
  }
  polls.calls = 0;
  ++published.progress;
}

void polls_end(const Call& call, Checker& checker, int code) {
  const Traits& traits = traits_of(call.function);
  plait_check_polls& polls = checker.published->polls;
  if (code != MPI_SUCCESS || !found_nothing(checker.given, traits)) {
    polls.calls = 0;
    ++checker.published->progress;
    return;
  }
  if (!polls.calls) {
    static uint64_t last_epoch;
    checker.epoch = ++last_epoch;
    polls.slow = 0;
    polls.polled = polls.probed = polls.unknown = 0;
  }
  if (is_probe(traits)) {
    keep_probe(checker);
  } else {
    keep_polled(checker);
  }
  ++polls.calls;
}

}  // namespace plait::preload
