// SPDX-License-Identifier: BSD-3-Clause
// This process as a member of its node: shared memory on which all ranks of the job agree.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "trace/transport_page.h"
#include "transport/queues.hpp"
#include "transport/wait.hpp"

namespace plait::preload::provider {

/// Exists once all ranks of the job have it. Then all of them use the transport, else none.
class Membership {
public:
  /// At the first call the process comes to the page of its job, and waits for the other ranks.
  /// @param objection  why this process cannot take part; empty: it can
  /// @param habits  of the MPI library: plait_transport_habit
  /// @return true if all take part
  static bool form(const char* objection, unsigned habits) noexcept;

  /// That of this process. @return null before form(), and if one of the ranks does not take part
  static Membership* of_process() noexcept;

  /// A place of this process, once. @return null if it was taken before
  std::unique_ptr<transport::Queues> take_queues() noexcept { return std::move(queues_); }

  [[nodiscard]] transport::Node& node() noexcept { return *node_; }
  [[nodiscard]] uint32_t self() const noexcept { return self_; }
  [[nodiscard]] plait_transport_process& entry() noexcept { return page_->process[self_]; }
  [[nodiscard]] bool library_has(plait_transport_habit habit) const noexcept {
    return (habits_ & habit) != 0;
  }
  [[nodiscard]] transport::WaitPolicy wait_policy() const noexcept;

  /// The address of a member, of kAddressBytes with the end.
  [[nodiscard]] std::string address(uint32_t member) const;
  /// @return false if it is not the address of a member of this node
  bool find(const char* address, uint32_t& member) const noexcept;

private:
  Membership() = default;
  static std::unique_ptr<Membership> join(const char* objection) noexcept;
  bool come(const char* objection);
  bool enter();
  bool agree() noexcept;
  void refuse(const std::string& reason) noexcept;

  plait_transport_page* page_ = nullptr;
  uint32_t self_ = 0;
  unsigned habits_ = 0;
  std::unique_ptr<transport::Node> node_;
  std::unique_ptr<transport::Queues> queues_;
};

}  // namespace plait::preload::provider
