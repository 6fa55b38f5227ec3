// SPDX-License-Identifier: BSD-3-Clause
// Values as bytes, for exchanges between processes of the same executable.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plait/error.hpp"

namespace plait {

/// Values that are copied as they are in memory.
template <class Value>
inline constexpr bool kIsPlain = std::is_trivially_copyable_v<Value>;

/// Appends values to a text. A class that is not plain needs a function in its namespace,
/// `template <class Archive> void fields(Archive& archive, Class& of)`, which calls
/// archive(of.a, of.b, ...).
class BytesWriter {
public:
  template <class... Values>
  void operator()(const Values&... values) {
    (write(values), ...);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

private:
  void add(const void* data, std::size_t bytes) {
    text_.append(static_cast<const char*>(data), bytes);
  }
  template <class Value>
  void write(const Value& value) {
    if constexpr (kIsPlain<Value>) {
      add(&value, sizeof value);
    } else {
      fields(*this, const_cast<Value&>(value));  // which only reads it here
    }
  }
  template <class Value>
  void write(const std::vector<Value>& values) {
    write(values.size());
    if constexpr (kIsPlain<Value>) {
      add(values.data(), values.size() * sizeof(Value));
    } else {
      for (const Value& value : values) write(value);
    }
  }
  void write(const std::string& value) {
    write(value.size());
    add(value.data(), value.size());
  }
  template <class First, class Second>
  void write(const std::pair<First, Second>& value) {
    write(value.first);
    write(value.second);
  }
  template <class... Values>
  void write(const std::tuple<Values...>& value) {
    std::apply([this](const auto&... each) { (write(each), ...); }, value);
  }
  template <class Key, class Value, class... Rest>
  void write(const std::map<Key, Value, Rest...>& values) {
    write_entries(values);
  }
  template <class Key, class Value, class... Rest>
  void write(const std::unordered_map<Key, Value, Rest...>& values) {
    write_entries(values);
  }
  template <class Map>
  void write_entries(const Map& values) {
    write(values.size());
    for (const auto& [key, value] : values) {
      write(key);
      write(value);
    }
  }

  std::string text_;
};

/// Reads the values that a BytesWriter wrote, in the same order.
class BytesReader {
public:
  explicit BytesReader(std::string_view text) : text_(text) {}

  template <class... Values>
  void operator()(Values&... values) {
    (read(values), ...);
  }

  [[nodiscard]] bool more() const { return !text_.empty(); }

private:
  static void require(bool enough) {
    if (enough) return;
    throw Error("another process", "sent less than it should", "start the same plait on all nodes");
  }
  void take(void* into, std::size_t bytes) {
    require(bytes <= text_.size());
    if (bytes > 0) std::memcpy(into, text_.data(), bytes);
    text_.remove_prefix(bytes);
  }
  /// A number of elements, each of which has at least so many bytes.
  std::size_t count(std::size_t bytes) {
    std::size_t count = 0;
    take(&count, sizeof count);
    require(count <= text_.size() / bytes);
    return count;
  }
  template <class Value>
  void read(Value& value) {
    if constexpr (kIsPlain<Value>) {
      take(&value, sizeof value);
    } else {
      fields(*this, value);
    }
  }
  template <class Value>
  void read(std::vector<Value>& values) {
    if constexpr (kIsPlain<Value>) {
      values.resize(count(sizeof(Value)));
      take(values.data(), values.size() * sizeof(Value));
    } else {
      values.resize(count(1));
      for (Value& value : values) read(value);
    }
  }
  void read(std::string& value) {
    value.resize(count(1));
    take(value.data(), value.size());
  }
  template <class First, class Second>
  void read(std::pair<First, Second>& value) {
    read(value.first);
    read(value.second);
  }
  template <class... Values>
  void read(std::tuple<Values...>& value) {
    std::apply([this](auto&... each) { (read(each), ...); }, value);
  }
  template <class Key, class Value, class... Rest>
  void read(std::map<Key, Value, Rest...>& values) {
    read_entries<Key>(values);
  }
  template <class Key, class Value, class... Rest>
  void read(std::unordered_map<Key, Value, Rest...>& values) {
    read_entries<Key>(values);
  }
  template <class Key, class Map>
  void read_entries(Map& values) {
    values.clear();
    for (std::size_t left = count(1); left > 0; --left) {
      Key key{};
      read(key);
      read(values[key]);
    }
  }

  std::string_view text_;
};

}  // namespace plait
