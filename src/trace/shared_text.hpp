// SPDX-License-Identifier: BSD-3-Clause
// Text that many entries share, such as the path of a library in the call paths of all ranks.
#pragma once

#include <concepts>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace plait::trace {

/// An immutable text; copies refer to the same memory.
class SharedText {
public:
  SharedText() = default;
  SharedText(std::string text)
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  [[nodiscard]] const std::string& text() const {
    static const std::string none;
    return text_ ? *text_ : none;
  }
  operator const std::string&() const { return text(); }
  [[nodiscard]] bool empty() const { return text().empty(); }

  /// Equal for copies of a text, and different for equal texts that are not copies.
  [[nodiscard]] const void* identity() const { return text_.get(); }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.text_ == b.text_ || a.text() == b.text();
  }
  template <class Text>
  requires(std::convertible_to<const Text&, std::string_view> &&
           !std::same_as<std::remove_cvref_t<Text>, SharedText>) friend bool
  operator==(const SharedText& a, const Text& b) {
    return std::string_view(a.text()) == std::string_view(b);
  }

private:
  std::shared_ptr<const std::string> text_;
};

/// Keeps one copy of each text. Several threads may share texts at the same time.
class TextPool {
public:
  SharedText share(const std::string& text) {
    if (text.empty()) return {};
    const std::lock_guard hold(lock_);
    const auto [known, added] = texts_.try_emplace(text);
    if (added) known->second = SharedText(text);
    return known->second;
  }

private:
  std::mutex lock_;
  std::unordered_map<std::string, SharedText> texts_;
};

}  // namespace plait::trace
