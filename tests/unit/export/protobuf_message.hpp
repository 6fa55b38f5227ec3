// SPDX-License-Identifier: BSD-3-Clause
// Reads messages of Protocol Buffers for tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plait::exports {

/// The fields of a message: numbers and texts by field.
struct Message {
  std::multimap<int, std::uint64_t> numbers;
  std::multimap<int, std::string> texts;

  explicit Message(const std::string& bytes) {
    std::size_t at = 0;
    const auto varint = [&] {
      std::uint64_t value = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.at(at++));
        value |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) return value;
      }
    };
    while (at < bytes.size()) {
      const std::uint64_t key = varint();
      const int field = static_cast<int>(key >> 3);
      if ((key & 7) == 0) {
        numbers.emplace(field, varint());
      } else if ((key & 7) == 1) {
        at += 8;
      } else {
        const std::size_t length = varint();
        texts.emplace(field, bytes.substr(at, length));
        at += length;
      }
    }
  }
  [[nodiscard]] std::uint64_t number(int field) const { return numbers.find(field)->second; }
  [[nodiscard]] const std::string& text(int field) const { return texts.find(field)->second; }
  [[nodiscard]] std::vector<Message> messages(int field) const {
    std::vector<Message> all;
    for (auto [at, end] = texts.equal_range(field); at != end; ++at) all.emplace_back(at->second);
    return all;
  }
};

}  // namespace plait::exports
