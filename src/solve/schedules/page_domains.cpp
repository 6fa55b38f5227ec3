// SPDX-License-Identifier: BSD-3-Clause
// The NUMA domains in which the memory of blocks is.
#include "solve/schedules/page_domains.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace plait::solve {
namespace {

/// Pages are looked up again after this many steps: often enough for a kernel that balances memory
/// over seconds, and rarely enough to cost nothing.
constexpr int kStepsBetweenLooks = 1000;

void* middle_of(const FieldView& field, const Box& block) {
  const auto at = [&](std::size_t axis) {
    return block.first[axis] + (block.last[axis] - block.first[axis]) / 2;
  };
  return field.at(at(0), at(1), at(2));
}

}  // namespace

std::vector<int> nodes_of_pages(std::span<void* const> addresses) {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::vector<void*> pages;
  for (void* const address : addresses) {
    const auto within = reinterpret_cast<std::uintptr_t>(address) % page_bytes;  // NOLINT
    pages.push_back(static_cast<std::byte*>(address) - within);
  }
  std::vector<int> nodes(pages.size(), -1);
  // Without nodes to move to, move_pages(2) only says where the pages are.
  if (syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0) {
    nodes.assign(pages.size(), -1);
  }
  return nodes;
}

void PageDomains::begin_step() {
  if (++steps_ % kStepsBetweenLooks == 0) of_address_.clear();
}

void PageDomains::look_up(const FieldView& field, std::span<const Box> blocks) {
  std::vector<void*> unknown;
  for (const Box& block : blocks) {
    void* const address = middle_of(field, block);
    if (of_address_.count(address) == 0) unknown.push_back(address);
  }
  if (unknown.empty()) return;
  const std::vector<int> nodes = nodes_(unknown);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    of_address_[unknown[i]] = domains_.of_node(nodes[i]);
  }
}

int PageDomains::of(const FieldView& field, const Box& block) const {
  const auto known = of_address_.find(middle_of(field, block));
  return known == of_address_.end() ? -1 : known->second;
}

}  // namespace plait::solve
