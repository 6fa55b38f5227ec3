// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives and compares matched messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/finding.hpp"
#include "check/job.hpp"

namespace plait::check {

/// An operation of a job: indices into Job::processes and Process::ops.
struct OpRef {
  std::uint32_t process = 0;
  std::uint32_t op = 0;
  auto operator<=>(const OpRef&) const = default;
};

inline constexpr OpRef kNoOp{~0U, ~0U};

/// True if a receive or probe that asks for `wanted`, a rank or a tag, may get `actual`.
inline bool is_compatible(int wanted, int actual) {
  return wanted == PLAIT_CHECK_ANY || wanted == actual;
}

/// The messages of a job by channel (communicator, sender, receiver, tag). In each channel the n-th
/// receive gets the n-th send, because messages do not overtake each other (MPI-4.1, section 3.5).
/// Refers to the job, which must outlive it.
class Messages {
public:
  explicit Messages(const Job& job);

  /// Mismatches between sends and their receives; and, if all processes have finalized, messages
  /// that were never received.
  [[nodiscard]] std::vector<Finding> findings() const;

  /// True if the partner of a send, receive or probe was posted, or may have been (an open receive
  /// from any source).
  [[nodiscard]] bool has_partner(std::uint32_t process, std::uint32_t op) const;

  /// True if a message was sent for which a probe of the process asks, and which no receive took;
  /// or may have been.
  /// @param probe  kind, communicator, peer and tag of a call that is not in the log
  [[nodiscard]] bool may_come(std::uint32_t process, const plait_check_op& probe) const;

  /// By process and operation: the receive of a send, the send of a receive; kNoOp: it has none, or
  /// it is uncertain.
  [[nodiscard]] std::vector<std::vector<OpRef>> partners() const;

  /// What could not be matched, and why; one sentence each.
  [[nodiscard]] std::vector<std::string> notes() const;

  /// The tag of an unreceived message that would match an open receive or probe except for its tag.
  [[nodiscard]] std::optional<int> other_tag(std::uint32_t process, std::uint32_t op) const;

private:
  struct Key {
    std::uint64_t comm = 0;
    int from = 0, to = 0, tag = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Channel {
    std::vector<OpRef> sends, receives;
    bool several_threads = false;  ///< used it: the order of posting is not known
    std::size_t doubtful_sends = 0, doubtful_receives = 0;  ///< that may have had a message, or not
    /// True if the n-th receive may have got another than the n-th send.
    [[nodiscard]] bool ambiguous() const {
      return several_threads || doubtful_sends + doubtful_receives > 0;
    }
  };
  /// A receive whose message is unknown.
  struct Wildcard {
    std::uint32_t op = 0;
    int from = 0, tag = 0;  ///< or PLAIT_CHECK_ANY
  };
  struct Place {
    std::uint64_t comm = 0;
    int to = 0;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const;
  };

  [[nodiscard]] const plait_check_op& op(OpRef ref) const {
    return job_.processes[ref.process].ops[ref.op];
  }
  void add(std::uint32_t process, std::uint32_t op);
  void add_to(std::vector<OpRef>& list, Channel& channel, OpRef added);
  [[nodiscard]] bool has_message(const Process& own, const plait_check_op& at,
                                 std::uint32_t before) const;
  [[nodiscard]] bool wildcard_takes(const Key& key, std::uint32_t before) const;
  void judge(const Key& key, const Channel& channel, std::vector<Finding>& found) const;

  const Job& job_;
  std::unordered_map<Key, Channel, Hash> channels_;
  std::unordered_map<Place, std::vector<Wildcard>, PlaceHash> wildcards_;
  std::size_t unknown_messages_ = 0;  ///< receives that ended, and of which message is unknown
};

}  // namespace plait::check
