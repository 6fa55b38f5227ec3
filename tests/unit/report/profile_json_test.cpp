// SPDX-License-Identifier: BSD-3-Clause
// The profile's JSON: it reads back as it was written and keeps to the committed schema.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/json_file.hpp"
#include "plait/error.hpp"
#include "report/profile.hpp"
#include "schema_check.hpp"
#include "synthetic_profiles.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

const json kSchema =
    json::parse(read_text_file(std::filesystem::path(PLAIT_SCHEMAS) / "profile-1.schema.json"));

/// Paths of all objects in a value.
void collect_objects(const json& value, const json::json_pointer& at,
                     std::vector<json::json_pointer>& objects) {
  if (value.is_object()) {
    objects.push_back(at);
    for (const auto& [name, one] : value.items()) collect_objects(one, at / name, objects);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect_objects(value[i], at / i, objects);
  }
}

TEST(ProfileJson, reads_back_as_it_was_written) {
  for (const Profile& profile : {full_profile(), healthy_profile(), without_ranks_profile()}) {
    const json text = json::parse(profile_to_json(profile).dump());
    EXPECT_EQ(profile_from_json(text, "text"), profile);
  }
}

TEST(ProfileJson, of_every_synthetic_run_keeps_to_the_schema) {
  for (const Profile& profile :
       {full_profile(), healthy_profile(), imbalanced_profile(), communication_profile(),
        one_core_profile(), killed_profile(), many_ranks_profile(), no_mpi_calls_profile(),
        one_rank_profile(), without_ranks_profile()}) {
    EXPECT_EQ(schema_violations(kSchema, profile_to_json(profile)), std::vector<std::string>{});
  }
}

/// True for members that follow from others, so that they are written and not read.
bool is_derived(const json::json_pointer& at, const json& object, const std::string& name) {
  const bool has_name = object.contains("frames") || object.contains("function");
  return name == "caller_tree" || at.to_string().starts_with("/caller_tree") || name == "caller" ||
         (name == "name" && has_name);
}

/// Members that only some runs have, or that profiles of older versions of Plait lack.
bool is_optional(const json::json_pointer& at, const std::string& name) {
  static const std::set<std::string> optional{"/functions",
                                              "/parts",
                                              "/computation",
                                              "/counters",
                                              "/memory",
                                              "/memory/ranks/0/user_s",
                                              "/memory/ranks/0/system_s",
                                              "/io",
                                              "/computation/serial",
                                              "/counters/roofline",
                                              "/io/series",
                                              "/io/without_series",
                                              "/counters/roofline/peaks",
                                              "/communicators/0/spacing",
                                              "/communicators/0/on_node",
                                              "/remapping"};
  return optional.contains((at / name).to_string());
}

TEST(ProfileJson, without_any_one_member_violates_the_schema_and_is_not_read) {
  json whole = profile_to_json(full_profile());
  std::vector<json::json_pointer> objects;
  collect_objects(whole, json::json_pointer(), objects);
  EXPECT_GT(objects.size(), 30U);
  for (const json::json_pointer& at : objects) {
    const json before = whole.at(at);
    for (const auto& [name, value] : before.items()) {
      whole.at(at).erase(name);
      if (is_optional(at, name)) {
        EXPECT_TRUE(schema_violations(kSchema, whole).empty()) << name;
        EXPECT_NO_THROW(profile_from_json(whole, "text")) << name;
        whole.at(at) = before;
        continue;
      }
      EXPECT_FALSE(schema_violations(kSchema, whole).empty()) << name;
      if (name != "schema" && name != "schema_version" && !is_derived(at, before, name)) {
        EXPECT_THROW(profile_from_json(whole, "text"), Error) << name;
      }
      whole.at(at) = before;
    }
  }
}

TEST(ProfileJson, with_a_row_of_too_few_counts_is_refused) {
  json whole = profile_to_json(full_profile());
  whole["counters"]["regions"][0]["outside"] = json::array();
  EXPECT_THROW(profile_from_json(whole, "text"), Error);
}

TEST(ProfileJson, with_an_unknown_member_violates_the_schema) {
  json whole = profile_to_json(full_profile());
  whole["ranks"][0]["surprise"] = 1;
  EXPECT_FALSE(schema_violations(kSchema, whole).empty());
}

TEST(ProfileJson, has_every_list_of_the_schema_filled_in_the_full_profile) {
  const json whole = profile_to_json(full_profile());
  for (const auto& [name, rule] : kSchema.at("properties").items()) {
    if (name == "rank_groups") continue;  // of more ranks: PageProfile.ManyRanksAreBinned
    const bool list = rule.value("type", json()) == "array";
    EXPECT_FALSE(list && whole.at(name).empty()) << name;
  }
}

TEST(ProfileJson, of_another_version_is_refused_in_one_line) {
  const auto file = std::filesystem::path(testing::TempDir()) / "plait-other-version.json";
  json whole = profile_to_json(full_profile());
  whole["schema_version"] = 7;
  write_json_file(file, whole);
  try {
    read_profile(file);
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("version 7"), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace plait::report
