// SPDX-License-Identifier: BSD-3-Clause
// Objects that are used again and again.
#pragma once

#include <deque>
#include <vector>

namespace plait::preload::provider {

/// Not for several threads at a time.
template <class Item>
class FreeList {
public:
  /// An object in any state. @throws std::bad_alloc
  [[nodiscard]] Item& take() {
    if (free_.empty()) {
      all_.emplace_back();
      free_.reserve(all_.size());
      return all_.back();
    }
    Item& item = *free_.back();
    free_.pop_back();
    return item;
  }
  void give_back(Item& item) noexcept { free_.push_back(&item); }  // reserved in take()

private:
  std::deque<Item> all_;
  std::vector<Item*> free_;
};

}  // namespace plait::preload::provider
