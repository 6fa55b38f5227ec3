// SPDX-License-Identifier: BSD-3-Clause
// Changes JSON into other JSON, so that fuzzing gets past the parser.
#include "mutate_json.hpp"

#include <iterator>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "base/json.hpp"

namespace plait::fuzz {
namespace {

using nlohmann::json;

constexpr std::size_t kMostValues = 20'000;

/// Pointers to a value and all that it contains.
void collect(json& value, std::vector<json*>& all) {
  if (all.size() >= kMostValues) return;
  all.push_back(&value);
  if (!value.is_structured()) return;
  for (json& inner : value) collect(inner, all);
}

json interesting(std::mt19937& random) {
  const json values[] = {nullptr,
                         true,
                         0,
                         1,
                         -1,
                         2,
                         64,
                         65535,
                         65536,
                         10'000'000,
                         std::numeric_limits<int>::max(),
                         std::numeric_limits<int>::min(),
                         4294967297,
                         std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::int64_t>::max(),
                         std::numeric_limits<std::uint64_t>::max(),
                         0.0,
                         -0.5,
                         1.5,
                         1e-300,
                         1e9,
                         1e18,
                         1e19,
                         1e308,
                         -1e308,
                         "",
                         "0-65535",
                         "0-3,8",
                         "a b\n\t\"'$(x)",
                         std::string(300, 'x'),
                         "\xc3\xa9",
                         json::array(),
                         json::object(),
                         {0, 1, 2},
                         {{0, 1}, {1, 2}}};
  return values[random() % std::size(values)];
}

void change(json& value, const std::vector<json*>& all, std::mt19937& random) {
  const auto size = static_cast<std::uint32_t>(value.size());
  switch (random() % 8) {
    case 0:
    case 1:
      value = interesting(random);
      return;
    case 2:  // another value of the document
      value = json(*all[random() % all.size()]);
      return;
    case 3:  // one less
      if (value.is_structured() && size > 0) value.erase(std::next(value.begin(), random() % size));
      return;
    case 4:  // copies
      if (value.is_array() && size > 0 && size < 1000) {
        const json copy = value[random() % size];
        for (std::uint32_t more = 1 + random() % 8; more > 0; --more) value.push_back(copy);
      }
      return;
    case 5:  // another order
      if (value.is_array() && size > 1) std::swap(value[random() % size], value[random() % size]);
      return;
    case 6:  // near the old number
      if (value.is_number_integer()) {
        value =
            value.is_number_unsigned() && value > std::numeric_limits<std::int64_t>::max() - 8
                ? json(0)
                : json(static_cast<std::int64_t>(
                      static_cast<std::uint64_t>(value.get<std::int64_t>()) + random() % 9 - 4));
      } else if (value.is_number()) {
        const double factors[] = {-1, 0, 0.5, 2, 1e-9, 1e9};
        value = value.get<double>() * factors[random() % std::size(factors)];
      }
      return;
    default:  // deeper
      value = random() % 2 == 0 ? json::array({value}) : json{{"a", value}};
  }
}

}  // namespace

std::string mutated_json(std::string_view text, std::uint32_t seed) {
  std::mt19937 random(seed);
  try {
    json document = parse_json(text);
    for (std::uint32_t changes = 1 + random() % 3; changes > 0; --changes) {
      std::vector<json*> all;
      collect(document, all);
      change(*all[random() % all.size()], all, random);
    }
    return document.dump(-1, ' ', false, json::error_handler_t::replace);
  } catch (const json::exception&) {
    return {};
  }
}

}  // namespace plait::fuzz
