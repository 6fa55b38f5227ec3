// SPDX-License-Identifier: BSD-3-Clause
// One part of a replay that several threads or processes do together: some of the ranks.
//
// Each part replays its ranks until all of them wait. Of a message between two parts both replay
// both sides: each tells the other what its rank did, and only wakes its own. This works where
// nothing but messages and collectives ties ranks together (Engine::any_order_): then a replay
// computes the same times in any order.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "replay/collective_gates.hpp"
#include "replay/transfers.hpp"

namespace plait::replay {

enum class PostKind : std::uint8_t { send, receive, arrival };

/// What a part tells another.
struct Post {
  Envelope envelope;        ///< of a message
  Arrived arrived;          ///< of an arrival, and
  std::uint32_t index = 0;  ///< its collective, Step::collective
  std::uint64_t bytes = 0;
  double time = 0;  ///< of the send or receive, s
  PostKind kind = PostKind::send;
  bool synchronous = false, buffered = false;
};

class Part {
public:
  /// @param owners  by thread: the number of its part; must outlive this object
  Part(const std::vector<std::uint32_t>& owners, std::uint32_t number, std::uint32_t parts)
      : owners_(owners), number_(number), out_(parts) {}

  [[nodiscard]] bool has(std::uint32_t thread) const { return owners_[thread] == number_; }

  /// Tells the owner of a thread.
  void tell(std::uint32_t thread, const Post& post) { out_[owners_[thread]].push_back(post); }

  /// Tells all parts that have members of a collective.
  void tell_others(const std::vector<std::uint32_t>& members, const Post& post) {
    for (const std::uint32_t part : spread(members).others) out_[part].push_back(post);
  }

  [[nodiscard]] OwnMembers own_members(const CollectiveStep& collective) {
    const std::vector<std::uint32_t>& members = *collective.members;
    return {spread(members).own, collective.root < members.size() && has(members[collective.root])};
  }

  /// By part: what to tell it.
  std::vector<std::vector<Post>>& out() { return out_; }

private:
  /// Where the members of a collective are.
  struct Spread {
    std::uint32_t own = 0;
    std::vector<std::uint32_t> others;  ///< parts, ascending
  };

  const Spread& spread(const std::vector<std::uint32_t>& members) {
    const auto [found, is_new] = spreads_.try_emplace(&members);
    Spread& spread = found->second;
    if (!is_new) return spread;
    std::vector<bool> there(out_.size());
    for (const std::uint32_t member : members) {
      there[owners_[member]] = true;
      if (has(member)) ++spread.own;
    }
    for (std::uint32_t part = 0; part < there.size(); ++part) {
      if (there[part] && part != number_) spread.others.push_back(part);
    }
    return spread;
  }

  const std::vector<std::uint32_t>& owners_;
  std::uint32_t number_;
  std::vector<std::vector<Post>> out_;
  std::unordered_map<const std::vector<std::uint32_t>*, Spread> spreads_;  ///< by members
};

}  // namespace plait::replay
