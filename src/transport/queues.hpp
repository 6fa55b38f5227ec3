// SPDX-License-Identifier: BSD-3-Clause
// The interface of the queue designs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transport/fragments.hpp"
#include "transport/node.hpp"

namespace plait::transport {

enum class Put {
  sent,
  full,    ///< no memory is free now; it will be when receivers release fragments
  failed,  ///< a process is dead (Node::dead_member)
};

/// The queues of one member of a node: it puts fragments into queues of others, and takes those
/// from its own. Fragments of one sender are taken in the order in which they were put. Only one
/// thread may use an object. No function blocks, allocates memory of the process or throws.
class Queues {
public:
  Queues(Node& node, uint32_t self) : node_(node), self_(self) {}
  virtual ~Queues() { node_.leave(self_); }
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;

  [[nodiscard]] Node& node() const noexcept { return node_; }
  [[nodiscard]] uint32_t self() const noexcept { return self_; }

  /// Puts a fragment into the receiver's queue, and wakes the receiver if it sleeps. The data may
  /// be changed after that.
  /// @param header  with at most kFragmentBytes; `from` is set
  [[nodiscard]] virtual Put put(uint32_t to, const Header& header, const void* data) noexcept = 0;

  /// Takes the next fragment. @return false if there is none
  [[nodiscard]] virtual bool take(Fragment& fragment) noexcept = 0;

  /// The data of a fragment are no longer needed. To be called before the next take().
  virtual void release(const Fragment& fragment) noexcept = 0;

  /// True if take() may find something. It is also called between the announcement of a sleep and
  /// the sleep, so it sees what other processes have put before they looked at the bell.
  [[nodiscard]] virtual bool has_news() noexcept = 0;

  /// True if so many messages of this member wait for their receivers that these should run before
  /// it sends more: their memory would be cold by then.
  [[nodiscard]] virtual bool crowded() noexcept { return false; }

  /// Memory of this member in which others can read and write, as long as the node exists.
  /// @return its offset; 0: there is none
  [[nodiscard]] virtual uint64_t allocate(uint64_t bytes) noexcept {
    static_cast<void>(bytes);
    return 0;
  }

  /// A receive of a message was posted, from that member or from any. Designs may poll no other
  /// queues.
  virtual void expect(uint32_t from) noexcept { static_cast<void>(from); }

  /// A receive for which expect() was called was cancelled.
  virtual void withdraw(uint32_t from) noexcept { static_cast<void>(from); }

  /// A message from that member has arrived.
  virtual void received(uint32_t from) noexcept { static_cast<void>(from); }

protected:
  [[nodiscard]] Put full_or_failed() const noexcept {
    return node_.failed() ? Put::failed : Put::full;
  }

  Node& node_;
  const uint32_t self_;
};

inline constexpr uint32_t kAnyMember = UINT32_MAX;

/// A queue design.
struct Design {
  const char* name;
  const char* summary;
  Demand (*demand)(uint32_t members);
  std::unique_ptr<Queues> (*make)(Node& node, uint32_t self);
};

/// All designs, in the order of their numbers.
const std::vector<Design>& designs();

/// @throws Error that names all designs when there is none of this name
const Design& design_of(std::string_view name);

/// Creates a node whose members use a design. @throws Error as Node::create does
Node create_node(const Design& design, uint32_t members, const std::string& directory = "/dev/shm");

/// Enters the node; leaves it with the end of the object.
/// @throws Error as Node::enter does
std::unique_ptr<Queues> join(Node& node, uint32_t self);

}  // namespace plait::transport
