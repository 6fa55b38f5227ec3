// SPDX-License-Identifier: BSD-3-Clause
// Folds repetitions in a sequence of symbols into loops.
#include "analysis/loops.hpp"

#include <algorithm>
#include <unordered_map>

#include "analysis/hash.hpp"

namespace plait::analysis {
namespace {

constexpr std::uint32_t kNoLoop = ~0U;

/// How many earlier positions of the last symbol are tried as the end of a repetition. A body in
/// which a symbol is more frequent is found with another of its symbols.
constexpr std::size_t kPlacesTried = 16;
/// How many of the last loops may continue.
constexpr std::size_t kLoopsTried = 4;

/// Base of polynomial hashes: sum of h(i) * kBase^(n - i), modulo 2^64.
constexpr std::uint64_t kBase = 0xd6e8feb86659fd93ULL;

class Folder {
public:
  explicit Folder(std::uint32_t known) : places_(known) {}

  void add(std::uint32_t symbol, std::uint32_t at) {
    push({symbol, at, at + 1, kNoLoop});
    while (continue_loop() || begin_loop()) {
    }
  }

  Folded take() { return {std::move(stack_), std::move(loops_)}; }

private:
  void push(const LoopPart& part) {
    if (part.loop != kNoLoop) open_.push_back(static_cast<std::uint32_t>(stack_.size()));
    places_[part.symbol].push_back(static_cast<std::uint32_t>(stack_.size()));
    stack_.push_back(part);
    hashes_.push_back(hashes_.back() * kBase + mix(part.symbol));
    if (powers_.size() < hashes_.size()) powers_.push_back(powers_.back() * kBase);
  }

  void pop() {
    if (stack_.back().loop != kNoLoop) open_.pop_back();
    places_[stack_.back().symbol].pop_back();
    stack_.pop_back();
    hashes_.pop_back();
  }

  /// Hash of parts [begin, end) of the stack.
  [[nodiscard]] std::uint64_t hash(std::size_t begin, std::size_t end) const {
    return hashes_[end] - hashes_[begin] * powers_[end - begin];
  }

  /// True if the end of the stack repeats a loop before it, or the loop that ends that one; then
  /// adds the repetition.
  bool continue_loop() {
    const std::size_t size = stack_.size();
    for (std::size_t i = 0; i < std::min(kLoopsTried, open_.size()); ++i) {
      const std::size_t at = open_[open_.size() - 1 - i];
      const std::size_t length = size - 1 - at;
      if (length == 0) continue;
      const std::uint64_t end = hash(at + 1, size);
      for (std::uint32_t loop = stack_[at].loop; loop != kNoLoop;
           loop = loops_[loop].body.back().loop) {
        if (loops_[loop].body.size() != length || body_hashes_[loop] != end) continue;
        repeat(at, loop);
        return true;
      }
    }
    return false;
  }

  /// Turns everything after position `at` into a repetition of `loop`, which is at or ends `at`.
  void repeat(std::size_t at, std::uint32_t loop) {
    const std::uint32_t end = stack_.back().end;
    loops_[loop].repetitions.push_back({stack_[at + 1].begin, end});
    for (std::size_t i = 0; i < loops_[loop].body.size(); ++i) {
      merge(loops_[loop].body[i].loop, stack_[at + 1 + i].loop);
    }
    while (stack_.size() > at + 1) pop();
    stack_[at].end = end;
    for (std::uint32_t outer = stack_[at].loop; outer != loop;
         outer = loops_[outer].body.back().loop) {
      loops_[outer].repetitions.back().end = end;
    }
  }

  /// Adds the repetitions of a loop and its inner loops to those of an equal loop.
  void merge(std::uint32_t to, std::uint32_t from) {
    if (to == kNoLoop || from == kNoLoop) return;
    std::vector<Repetition>& all = loops_[to].repetitions;
    std::vector<Repetition>& more = loops_[from].repetitions;
    all.insert(all.end(), more.begin(), more.end());
    more = {};
    // The other loop may start elsewhere in its body.
    std::vector<LoopPart> inner = loops_[from].body;
    for (const LoopPart& part : loops_[to].body) {
      if (part.loop == kNoLoop) continue;
      const auto same = std::ranges::find_if(inner, [&](const LoopPart& other) {
        return other.loop != kNoLoop && other.symbol == part.symbol;
      });
      if (same == inner.end()) continue;
      merge(part.loop, same->loop);
      same->loop = kNoLoop;
    }
  }

  /// True if the end of the stack repeats what precedes it; then makes a loop of both.
  bool begin_loop() {
    const std::size_t size = stack_.size();
    const std::vector<std::uint32_t>& places = places_[stack_.back().symbol];
    for (std::size_t i = 1; i < std::min(kPlacesTried, places.size()); ++i) {
      const std::size_t middle = places[places.size() - 1 - i] + std::size_t{1};
      const std::size_t length = size - middle;
      if (middle < length) break;
      if (hash(middle - length, middle) != hash(middle, size)) continue;
      if (length == 1 && stack_.back().loop != kNoLoop) {
        merge(stack_[middle - 1].loop, stack_.back().loop);
        stack_[middle - 1].end = stack_.back().end;
        pop();
      } else {
        make_loop(length);
      }
      return true;
    }
    return false;
  }

  /// Makes a loop of the last two times `length` parts.
  void make_loop(std::size_t length) {
    const std::size_t first = stack_.size() - 2 * length;
    const auto number = static_cast<std::uint32_t>(loops_.size());
    const std::uint32_t end = stack_.back().end;
    Loop loop;
    loop.body.assign(stack_.begin() + static_cast<std::ptrdiff_t>(first),
                     stack_.begin() + static_cast<std::ptrdiff_t>(first + length));
    loop.repetitions = {{stack_[first].begin, stack_[first + length].begin},
                        {stack_[first + length].begin, end}};
    body_hashes_.push_back(hash(first, first + length));
    const std::uint32_t symbol = symbol_of(loop.body);
    for (std::size_t i = 0; i < length; ++i) {
      merge(loop.body[i].loop, stack_[first + length + i].loop);
    }
    const std::uint32_t begin = stack_[first].begin;
    while (stack_.size() > first) pop();
    loops_.push_back(std::move(loop));
    push({symbol, begin, end, number});
  }

  /// The symbol of a loop: equal for all rotations of a body, because it depends on the set of
  /// neighbouring pairs.
  std::uint32_t symbol_of(const std::vector<LoopPart>& body) {
    std::uint64_t pairs = body.size();
    for (std::size_t i = 0; i < body.size(); ++i) {
      pairs += mix(body[i].symbol, body[(i + 1) % body.size()].symbol);
    }
    const auto [at, is_new] =
        symbols_.try_emplace(pairs, static_cast<std::uint32_t>(places_.size()));
    if (is_new) places_.emplace_back();
    return at->second;
  }

  std::vector<LoopPart> stack_;
  std::vector<std::uint64_t> hashes_{0}, powers_{1};  // of prefixes of the stack; of kBase
  std::vector<std::vector<std::uint32_t>> places_;    // in the stack, by symbol
  std::vector<std::uint32_t> open_;                   // places of loops in the stack
  std::vector<Loop> loops_;
  std::vector<std::uint64_t> body_hashes_;
  std::unordered_map<std::uint64_t, std::uint32_t> symbols_;  // of loops
};

}  // namespace

Folded fold_loops(std::span<const std::uint32_t> symbols, std::uint32_t known) {
  Folder folder(known);
  for (std::uint32_t i = 0; i < symbols.size(); ++i) folder.add(symbols[i], i);
  return folder.take();
}

}  // namespace plait::analysis
