// SPDX-License-Identifier: BSD-3-Clause
// Which receive each send went to, as far as posted; what is wrong with matched messages.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "check/finding.hpp"
#include "check/job.hpp"

namespace plait::check {

struct OpRef {
  std::uint32_t process = 0;
  std::uint32_t op = 0;
};

/// Messages by communicator, sender, receiver and tag: in each of these channels the n-th receive
/// gets the n-th send (non-overtaking, MPI-4.1, section 3.5), whatever receives took from others.
class Messages {
public:
  explicit Messages(const Job& job);

  /// What is wrong with messages that have both a send and a receive; and, where all processes
  /// have finalized, those that nobody received.
  [[nodiscard]] std::vector<Finding> findings() const;

  /// Has the operation, a send, receive or probe, a partner that was posted (or might have one: an
  /// open receive from any source)?
  [[nodiscard]] bool has_partner(std::uint32_t process, std::uint32_t op) const;

  /// The tag of a message that lies unreceived for an open receive or probe but for its tag.
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
    bool ambiguous = false;  ///< several threads used it: the order of posting is not known
  };
  /// A receive of which it is not known what it took, or will.
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
  [[nodiscard]] bool wildcard_takes(const Key& key, std::uint32_t before) const;
  void judge(const Key& key, const Channel& channel, std::vector<Finding>& found) const;

  const Job& job_;
  std::unordered_map<Key, Channel, Hash> channels_;
  std::unordered_map<Place, std::vector<Wildcard>, PlaceHash> wildcards_;
};

}  // namespace plait::check
