// SPDX-License-Identifier: BSD-3-Clause
// JSON whose numbers are checked when they become C++ numbers, and whose depth is limited.
// The only header that includes the JSON library.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/failure.hpp"

namespace plait {

/// Text that is not JSON, or a value that does not fit what it becomes.
class JsonError : public nlohmann::json::exception {
public:
  /// @param reason  a phrase such as "number 300 is out of range"
  explicit JsonError(const std::string& reason) : exception(0, reason.c_str()) {}
};

/// The deepest JSON that Plait reads. Its own files are at most 10 deep; copying and writing a
/// value takes stack in proportion to its depth.
inline constexpr int kMostJsonLevels = 100;

/// Parses JSON.
/// @throws JsonError when `text` is not JSON or is nested more than kMostJsonLevels deep.
nlohmann::json parse_json(std::string_view text);

/// The message of an exception of the JSON library without its number, in one line.
std::string json_reason(const nlohmann::json::exception& error);

/// Text in one line: values in messages may have line ends and other control characters.
std::string in_one_line(std::string text);

/// Returns convert(), which converts JSON that was read from `file`.
/// @throws Error "FILE: damaged: WHY; REMEDY" in place of an exception of the JSON library or
///         an Error about one value.
template <class Convert>
auto convert_json(const std::filesystem::path& file, const std::string& remedy, Convert convert)
    -> decltype(convert()) {
  try {
    return convert();
  } catch (const nlohmann::json::exception& error) {
    throw Error(file.string(), "damaged: " + json_reason(error), remedy);
  } catch (const Failure&) {
    throw;
  } catch (const Error& error) {
    throw Error(file.string(), "damaged: " + in_one_line(error.what()), "");
  }
}

/// Converts a JSON number.
/// @throws JsonError when it is not a number, or `To` cannot represent it. Fractions do not become
///         integers; integers may become the nearest floating-point number.
template <class To, class Json>
void to_number(const Json& from, To& to) {
  const auto refuse = [&](const char* why) {
    throw JsonError("number " + from.dump() + " is " + why);
  };
  if (!from.is_number()) {
    throw JsonError(std::string("type must be number, but is ") + from.type_name());
  }
  if constexpr (std::is_floating_point_v<To>) {
    const double value =
        from.is_number_unsigned()
            ? static_cast<double>(*from.template get_ptr<const typename Json::number_unsigned_t*>())
        : from.is_number_integer()
            ? static_cast<double>(*from.template get_ptr<const typename Json::number_integer_t*>())
            : *from.template get_ptr<const typename Json::number_float_t*>();
    if (std::abs(value) > static_cast<double>(std::numeric_limits<To>::max())) {
      refuse("out of range");
    }
    to = static_cast<To>(value);
  } else {
    const auto take = [&](auto value) {
      // std::in_range does not accept character types.
      using Wide = std::conditional_t<std::is_signed_v<To>, std::int64_t, std::uint64_t>;
      if (!std::in_range<Wide>(value) ||
          static_cast<Wide>(value) < static_cast<Wide>(std::numeric_limits<To>::min()) ||
          static_cast<Wide>(value) > static_cast<Wide>(std::numeric_limits<To>::max())) {
        refuse("out of range");
      }
      to = static_cast<To>(value);
    };
    if (from.is_number_unsigned()) {
      take(*from.template get_ptr<const typename Json::number_unsigned_t*>());
    } else if (from.is_number_integer()) {
      take(*from.template get_ptr<const typename Json::number_integer_t*>());
    } else {
      const double value = *from.template get_ptr<const typename Json::number_float_t*>();
      if (std::trunc(value) != value) refuse("not an integer");
      // Beyond 2^63 there is no fraction, and no integer type of Plait's files.
      if (std::abs(value) >= 0x1p63) refuse("out of range");
      take(static_cast<std::int64_t>(value));
    }
  }
}

}  // namespace plait

namespace nlohmann {

/// Numbers in all conversions: get<int>(), get_to(), value(), members of vectors and structs.
template <class Number>
struct adl_serializer<
    Number, std::enable_if_t<std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>>> {
  template <class Json>
  static void from_json(const Json& from, Number& to) {
    plait::to_number(from, to);
  }
  template <class Json>
  static void to_json(Json& to, Number from) {
    ::nlohmann::to_json(to, from);
  }
};

}  // namespace nlohmann
