// SPDX-License-Identifier: BSD-3-Clause
// JSON of optional values: null for none.
#pragma once

#include <optional>

#include "base/json.hpp"

namespace nlohmann {

template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& to, const std::optional<T>& from) {
    to = from ? json(*from) : json(nullptr);
  }
  static void from_json(const json& from, std::optional<T>& to) {
    to = from.is_null() ? std::optional<T>{} : std::optional<T>{from.get<T>()};
  }
};

}  // namespace nlohmann
