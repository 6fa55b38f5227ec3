// SPDX-License-Identifier: BSD-3-Clause
// The NUMA domains in which the memory of blocks is.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "plait/box.hpp"
#include "plait/field.hpp"
#include "solve/schedules/numa_domains.hpp"

namespace plait::solve {

/// The NUMA node (operating-system index) of the page of each address; negative: the page was never
/// touched, or the kernel does not say.
std::vector<int> nodes_of_pages(std::span<void* const> addresses);

/// The domains of a process, and in which of them the pages of blocks are. Pages are where a thread
/// first touched them, which may run elsewhere now, and the kernel may move them.
class PageDomains {
public:
  using Nodes = std::function<std::vector<int>(std::span<void* const>)>;

  explicit PageDomains(NumaDomains domains, Nodes nodes = nodes_of_pages)
      : domains_(std::move(domains)), nodes_(std::move(nodes)) {}

  [[nodiscard]] const NumaDomains& domains() const { return domains_; }

  /// Begins a step. Now and then forgets all pages, because they may have moved.
  void begin_step();
  /// Asks the kernel, in one call, for the pages of those blocks that it was not asked for before.
  /// No other thread may use the object meanwhile.
  void look_up(const FieldView& field, std::span<const Box> blocks);
  /// The domain in which the middle of a block is; -1: unknown, or in none of the domains.
  [[nodiscard]] int of(const FieldView& field, const Box& block) const;

private:
  NumaDomains domains_;
  Nodes nodes_;
  std::unordered_map<const void*, int> of_address_;
  int steps_ = 0;
};

}  // namespace plait::solve
