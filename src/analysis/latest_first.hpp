// SPDX-License-Identifier: BSD-3-Clause
// Goes through the waits of all lanes and processes, the latest first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/wait_states.hpp"
#include "base/combine.hpp"
#include "base/parallel.hpp"
#include "base/plain_bytes.hpp"

namespace plait::analysis {

/// A wait, as process 0 knows it.
struct OrderedWait {
  std::int64_t end = 0;
  std::uint32_t lane = 0, number = 0, call = 0;
  std::uint32_t by_lane = 0, by_call = 0;
};

/// Gives process 0 all waits in batches, the latest first. Of waits that end at the same time, a
/// wait precedes the own wait of the rank that ended it.
/// @tparam Block  some waits: `std::vector<OrderedWait> ids`, and what else is known of them; a
///                class that plain_bytes.hpp can write
template <class Block>
class LatestFirst {
public:
  struct Item {
    const OrderedWait* id;
    const Block* block;
    std::size_t index;  ///< in the block
  };

  /// @param make_add  make_add() makes, for some waits and on several threads, a function
  ///                  add(id, wait, block) that adds to a block what else is known of a wait
  /// @param together  waits that are prepared at a time
  /// @param processes  null: this one alone
  template <class MakeAdd>
  LatestFirst(const Lanes& lanes, const Waits& waits, MakeAdd make_add, std::size_t together,
              unsigned threads, Processes* processes)
      : waits_(waits),
        fill_([this, make_add](std::span<const WaitId> ids, Block& block) {
          auto add = make_add();
          for (const WaitId& id : ids) {
            const Wait& wait = waits_.of[id.lane][id.number];
            block.ids.push_back(
                {wait.end, id.lane, id.number, wait.call, wait.by_lane, wait.by_call});
            add(block.ids.back(), wait, block);
          }
        }),
        together_(together / size_of(processes) + 1),
        threads_(threads),
        processes_(processes),
        sources_(size_of(processes)) {
    std::size_t count = 0;
    for (std::size_t lane = lanes.own.first; lane < lanes.own.last; ++lane) {
      count += waits.of[lane].size();
    }
    order_.reserve(count);
    for (std::size_t lane = lanes.own.first; lane < lanes.own.last; ++lane) {
      for (std::uint32_t i = 0; i < waits.of[lane].size(); ++i) {
        order_.push_back({waits.of[lane][i].end, static_cast<std::uint32_t>(lane), i});
      }
    }
    std::ranges::stable_sort(order_, std::ranges::greater{}, &WaitId::end);
  }

  /// Collective.
  /// @param items  gets the next batch on process 0, valid until the next call; it may be empty, as
  ///               on all other processes
  /// @returns false at the end
  bool next(std::vector<Item>& items) {
    items.clear();
    drop_used();
    if (std::ranges::none_of(sources_, &Source::more)) return false;
    exchange(next_own());
    if (rank_of(processes_) == 0) take_final(items);
    return true;
  }

private:
  struct WaitId {
    std::int64_t end;
    std::uint32_t lane, number;
  };
  struct Head {
    std::int64_t last_end;
    bool more;
  };
  /// The waits of a process.
  struct Source {
    std::int64_t last_end = std::numeric_limits<std::int64_t>::max();  ///< of those sent so far
    bool more = true;
    std::deque<std::unique_ptr<Block>> blocks;  ///< process 0 only
    std::size_t used_blocks = 0;                ///< of these, and
    std::size_t used = 0;                       ///< waits of the one behind them
  };

  /// Later waits of any process end no later than this.
  [[nodiscard]] std::int64_t final_behind() const {
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (const Source& source : sources_) {
      if (source.more) latest = std::max(latest, source.last_end);
    }
    return latest;
  }

  /// The next own waits, in blocks for several threads; none while enough of those that were sent
  /// have to wait for those of other processes.
  std::vector<std::unique_ptr<Block>> next_own() {
    std::vector<std::unique_ptr<Block>> blocks;
    const std::int64_t behind = final_behind();
    const auto is_final = [behind](const WaitId& id) { return id.end > behind; };
    const auto sent = order_.begin() + static_cast<std::ptrdiff_t>(sent_);
    const auto waiting = sent - std::partition_point(order_.begin(), sent, is_final);
    const bool holds_up = sources_[rank_of(processes_)].last_end == behind;
    const bool enough = !holds_up && std::cmp_greater(waiting, 2 * together_);
    if (enough || sent_ == order_.size()) return blocks;
    const std::size_t count = std::min(together_, order_.size() - sent_);
    const std::vector<IndexRange> ranges = ranges_of(count, threads_);
    const std::span<const WaitId> ids = std::span(order_).subspan(sent_, count);
    for (std::size_t i = 0; i < ranges.size(); ++i) blocks.push_back(std::make_unique<Block>());
    for_each_index(
        ranges.size(),
        [&](std::size_t i) {
          fill_(ids.subspan(ranges[i].first, ranges[i].last - ranges[i].first), *blocks[i]);
        },
        threads_);
    sent_ += count;
    return blocks;
  }

  void exchange(std::vector<std::unique_ptr<Block>> own) {
    Source& here = sources_[rank_of(processes_)];
    if (sent_ > 0) here.last_end = order_[sent_ - 1].end;
    here.more = sent_ < order_.size();
    if (processes_ != nullptr && processes_->size() > 1) swap_with_others(here, own);
    if (rank_of(processes_) != 0) return;
    for (std::unique_ptr<Block>& block : own) here.blocks.push_back(std::move(block));
  }

  void swap_with_others(const Source& here, const std::vector<std::unique_ptr<Block>>& own) {
    std::vector<std::string> to;
    for (std::size_t process = 0; process < sources_.size(); ++process) {
      BytesWriter text;
      text(Head{here.last_end, here.more});
      for (const std::unique_ptr<Block>& block : own) {
        if (process == 0 && rank_of(processes_) != 0) text(*block);
      }
      to.push_back(text.take());
    }
    const std::vector<std::string> from = processes_->swap(std::move(to));
    for (std::size_t process = 0; process < sources_.size(); ++process) {
      BytesReader reader(from[process]);
      Head head{};
      reader(head);
      sources_[process].last_end = head.last_end;
      sources_[process].more = head.more;
      while (reader.more()) {
        reader(*sources_[process].blocks.emplace_back(std::make_unique<Block>()));
      }
    }
  }

  /// Takes the waits behind which none can come that ends later or at the same time.
  void take_final(std::vector<Item>& items) {
    const bool all = std::ranges::none_of(sources_, &Source::more);
    const std::int64_t behind = final_behind();
    std::size_t contributing = 0;
    for (Source& source : sources_) {
      const std::size_t before = items.size();
      for (bool go_on = true; go_on && source.used_blocks < source.blocks.size();) {
        const Block& block = *source.blocks[source.used_blocks];
        for (; source.used < block.ids.size(); ++source.used) {
          if (!all && block.ids[source.used].end <= behind) break;
          items.push_back({&block.ids[source.used], &block, source.used});
        }
        go_on = source.used == block.ids.size();
        if (!go_on) break;
        ++source.used_blocks;
        source.used = 0;
      }
      contributing += items.size() > before ? 1 : 0;
    }
    if (contributing > 1) {
      std::ranges::sort(items, {}, [](const Item& item) {
        return std::tuple(-item.id->end, item.id->lane, item.id->number);
      });
    }
    for (std::size_t first = 0; first < items.size();) {
      std::size_t last = first + 1;
      while (last < items.size() && items[last].id->end == items[first].id->end) ++last;
      if (last - first > 1) sort_moment(std::span(items).subspan(first, last - first));
      first = last;
    }
  }

  void drop_used() {
    for (Source& source : sources_) {
      source.blocks.erase(source.blocks.begin(),
                          source.blocks.begin() + static_cast<std::ptrdiff_t>(source.used_blocks));
      source.used_blocks = 0;
    }
  }

  /// A lane has at most one wait that ends at a given time, so that each wait of the moment leads
  /// to at most one other.
  static void sort_moment(std::span<Item> moment) {
    std::unordered_map<std::uint32_t, std::size_t> by_lane;
    for (std::size_t i = 0; i < moment.size(); ++i) by_lane[moment[i].id->lane] = i;
    const auto next = [&](std::size_t i) {
      const auto found = by_lane.find(moment[i].id->by_lane);
      if (found == by_lane.end()) return moment.size();
      return moment[found->second].id->call < moment[i].id->by_call ? found->second : moment.size();
    };
    std::vector<bool> placed(moment.size(), false);
    std::vector<Item> sorted;
    std::vector<std::size_t> path;
    for (std::size_t i = 0; i < moment.size(); ++i) {
      path.clear();
      for (std::size_t at = i; at < moment.size() && !placed[at]; at = next(at)) {
        placed[at] = true;
        path.push_back(at);
      }
      // What a path leads to was placed before. Paths are added from their ends, and the result is
      // reversed.
      for (auto at = path.rbegin(); at != path.rend(); ++at) sorted.push_back(moment[*at]);
    }
    std::copy(sorted.rbegin(), sorted.rend(), moment.begin());
  }

  const Waits& waits_;
  std::function<void(std::span<const WaitId>, Block&)> fill_;
  std::size_t together_;
  unsigned threads_;
  Processes* processes_;
  std::vector<WaitId> order_;    ///< the own waits
  std::size_t sent_ = 0;         ///< of these
  std::vector<Source> sources_;  ///< by process
};

}  // namespace plait::analysis
