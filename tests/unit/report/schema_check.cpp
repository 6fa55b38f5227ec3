// SPDX-License-Identifier: BSD-3-Clause
// Checks JSON against the part of JSON Schema that Plait's schemas use.
#include "schema_check.hpp"

#include <algorithm>
#include <regex>
#include <set>

namespace plait::report {
namespace {

using nlohmann::json;

bool has_type(const json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return value.type_name() == type;
}

class Checker {
public:
  explicit Checker(const json& root) : root_(root) {}

  void check(const json& schema, const json& value, const std::string& at) {
    for (const auto& [keyword, rule] : schema.items()) {
      if (keyword == "$ref") {
        const std::string pointer = rule.get<std::string>().substr(1);
        check(root_.at(json::json_pointer(pointer)), value, at);
      } else if (!is_valid(keyword, rule, schema, value, at)) {
        violations.push_back(at + " violates " + keyword + " " + rule.dump());
      }
    }
  }

  std::vector<std::string> violations;

private:
  bool is_valid(const std::string& keyword, const json& rule, const json& schema, const json& value,
                const std::string& at) {
    static const std::set<std::string> kAnnotations{"$schema", "$id", "title", "description",
                                                    "$defs"};
    if (kAnnotations.contains(keyword)) return true;
    if (keyword == "type") {
      if (rule.is_string()) return has_type(value, rule);
      return std::any_of(rule.begin(), rule.end(),
                         [&](const json& type) { return has_type(value, type); });
    }
    if (keyword == "const") return value == rule;
    if (keyword == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
    if (keyword == "minimum") return !value.is_number() || value >= rule;
    if (keyword == "maximum") return !value.is_number() || value <= rule;
    if (keyword == "minItems") return !value.is_array() || value.size() >= rule;
    if (keyword == "maxItems") return !value.is_array() || value.size() <= rule;
    if (keyword == "pattern") {
      return !value.is_string() ||
             std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()));
    }
    if (keyword == "required") {
      return !value.is_object() || std::all_of(rule.begin(), rule.end(), [&](const json& name) {
        return value.contains(name);
      });
    }
    if (keyword == "additionalProperties") {
      for (const auto& [name, unused] : value.items()) {
        if (!schema.at("properties").contains(name)) return false;
      }
      return rule == false;
    }
    if (keyword == "properties") {
      for (const auto& [name, one] : rule.items()) {
        if (value.contains(name)) check(one, value.at(name), at + "/" + name);
      }
      return true;
    }
    if (keyword == "items") {
      for (std::size_t i = 0; i < value.size(); ++i) {
        check(rule, value[i], at + "/" + std::to_string(i));
      }
      return true;
    }
    return false;
  }

  const json& root_;
};

}  // namespace

std::vector<std::string> schema_violations(const json& schema, const json& value) {
  Checker checker(schema);
  checker.check(schema, value, "");
  return checker.violations;
}

}  // namespace plait::report
