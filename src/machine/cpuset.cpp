// SPDX-License-Identifier: BSD-3-Clause
// A set of hardware threads (operating-system indices), in the list format of launchers and Linux.
#include "machine/cpuset.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "base/failure.hpp"
#include "plait/error.hpp"

namespace plait::machine {
namespace {

constexpr int kBits = 64;

std::uint64_t bit(int index) {
  return std::uint64_t{1} << (index % kBits);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

int parse_index(std::string_view number, std::string_view whole) {
  const std::string_view digits = trimmed(number);
  int value = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < 0 ||
      value > kMostPu) {
    throw Error(fmt::format("\"{}\"", whole), "not a list of hardware threads",
                "write it like 0-3,8");
  }
  return value;
}

}  // namespace

CpuSet CpuSet::range(int first, int last) {
  CpuSet set;
  for (int index = first; index <= last; ++index) set.set(index);
  return set;
}

CpuSet CpuSet::of(const std::vector<int>& indices) {
  CpuSet set;
  for (const int index : indices) set.set(index);
  return set;
}

CpuSet CpuSet::parse(std::string_view text) {
  CpuSet set;
  std::string_view rest = trimmed(text);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const std::size_t dash = part.find('-');
    const int first = parse_index(part.substr(0, dash), text);
    const int last =
        dash == std::string_view::npos ? first : parse_index(part.substr(dash + 1), text);
    if (last < first) {
      throw Error(fmt::format("\"{}\"", text), "a range ends before it begins",
                  "write it like 0-3,8");
    }
    for (int index = first; index <= last; ++index) set.set(index);
    if (comma == std::string_view::npos) break;
    rest = rest.substr(comma + 1);
    if (rest.empty()) parse_index(rest, text);
  }
  return set;
}

CpuSet CpuSet::affinity_of(int tid) {
  // The kernel rejects masks that are smaller than its own with EINVAL: try larger ones.
  for (int bits = 1024; bits <= 1 << 20; bits *= 4) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(
        CPU_ALLOC(static_cast<std::size_t>(bits)), [](cpu_set_t* p) { CPU_FREE(p); });
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(bits));
    if (::sched_getaffinity(tid, size, mask.get()) == 0) {
      CpuSet set;
      for (int index = 0; index < bits; ++index) {
        if (CPU_ISSET_S(static_cast<std::size_t>(index), size, mask.get())) set.set(index);
      }
      return set;
    }
    if (errno != EINVAL) break;
  }
  throw Failure(fmt::format("thread {}", tid),
                fmt::format("its affinity cannot be read ({})", std::strerror(errno)), "");
}

void CpuSet::set(int index) {
  const auto word = static_cast<std::size_t>(index / kBits);
  if (word >= words_.size()) words_.resize(word + 1, 0);
  words_[word] |= bit(index);
}

void CpuSet::clear(int index) {
  const auto word = static_cast<std::size_t>(index / kBits);
  if (word >= words_.size()) return;
  words_[word] &= ~bit(index);
  trim();
}

bool CpuSet::test(int index) const {
  if (index < 0) return false;
  const auto word = static_cast<std::size_t>(index / kBits);
  return word < words_.size() && (words_[word] & bit(index)) != 0;
}

int CpuSet::count() const {
  int sum = 0;
  for (const std::uint64_t word : words_) sum += std::popcount(word);
  return sum;
}

int CpuSet::first() const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] != 0) return static_cast<int>(i) * kBits + std::countr_zero(words_[i]);
  }
  return -1;
}

int CpuSet::last() const {
  if (words_.empty()) return -1;
  return static_cast<int>(words_.size()) * kBits - 1 - std::countl_zero(words_.back());
}

bool CpuSet::intersects(const CpuSet& other) const {
  for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) {
    if ((words_[i] & other.words_[i]) != 0) return true;
  }
  return false;
}

bool CpuSet::subset_of(const CpuSet& other) const {
  return (*this - other).empty();
}

std::vector<int> CpuSet::indices() const {
  std::vector<int> all;
  for (int index = first(); index >= 0 && index <= last(); ++index) {
    if (test(index)) all.push_back(index);
  }
  return all;
}

std::string CpuSet::format() const {
  std::string text;
  const std::vector<int> all = indices();
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    while (end + 1 < all.size() && all[end + 1] == all[end] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", all[i]);
    if (end > i) text += fmt::format("-{}", all[end]);
    i = end + 1;
  }
  return text;
}

CpuSet& CpuSet::operator&=(const CpuSet& other) {
  words_.resize(std::min(words_.size(), other.words_.size()));
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  trim();
  return *this;
}

CpuSet& CpuSet::operator|=(const CpuSet& other) {
  words_.resize(std::max(words_.size(), other.words_.size()), 0);
  for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

CpuSet& CpuSet::operator-=(const CpuSet& other) {
  for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) {
    words_[i] &= ~other.words_[i];
  }
  trim();
  return *this;
}

void CpuSet::trim() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

std::string format_ids(const std::vector<int>& ids) {
  return ids.empty() ? "-" : CpuSet::of(ids).format();
}

}  // namespace plait::machine
