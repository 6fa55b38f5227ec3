// SPDX-License-Identifier: BSD-3-Clause
// samples.json is read as it was written, and damage is refused.
#include <gtest/gtest.h>

#include <cstdint>

#include "made_tree.hpp"
#include "plait/error.hpp"
#include "samples/call_tree.hpp"

namespace plait::samples {
namespace {

TEST(CallTreeJson, round_trip) {
  CallTree tree = test::made_tree();
  tree.nodes[2].parallel = true;
  EXPECT_EQ(call_tree_from_json(to_json(tree), "samples.json"), tree);
  EXPECT_EQ(to_json(tree).at("states"), (nlohmann::json{"code", "mpi", "openmp", "waiting"}));
}

TEST(CallTreeJson, phases_are_optional) {
  CallTree tree = test::made_tree();
  EXPECT_FALSE(to_json(tree).contains("phases"));
  tree.phases = {{"before", 0, 1.5}, {"iterations 1", 1.5, 4}};
  tree.phase_counts = {{2, 0, State::code, 1, 40}, {7, 0, State::mpi, 1, 2}};
  EXPECT_EQ(call_tree_from_json(to_json(tree), "samples.json"), tree);
  for (const nlohmann::json& entry :
       {nlohmann::json{2, 0, 0, 2, 1}, nlohmann::json{2, 0, 4, 1, 1}, nlohmann::json{2, 0, 0, 1}}) {
    nlohmann::json value = to_json(tree);
    value["phase_counts"].push_back(entry);
    EXPECT_THROW(call_tree_from_json(value, "samples.json"), Error) << entry;
  }
}

TEST(CallTreeJson, indices_are_checked) {
  for (const auto& [field, entry] :
       {std::pair("counts", nlohmann::json{99, 0, 0, 1}), std::pair("counts", nlohmann::json{0, 9}),
        std::pair("counts", nlohmann::json{0, 0, 4, 1}),
        std::pair("region_counts", nlohmann::json{0, 0, 1, 1}),
        std::pair("nodes", nlohmann::json{
                               {"parent", 8}, {"function", 0}, {"line", 1}, {"inlined", false}})}) {
    nlohmann::json value = to_json(test::made_tree());
    value[field].push_back(entry);
    EXPECT_THROW(call_tree_from_json(value, "samples.json"), Error) << field << entry;
  }
}

TEST(CallTreeJson, impossible_times_are_refused) {
  for (const double rate : {-1.0, 0.0, 1e-300, 1e300}) {
    nlohmann::json value = to_json(test::made_tree());
    value["rate_hz"] = rate;
    EXPECT_THROW(call_tree_from_json(value, "samples.json"), Error) << rate;
  }
  for (const char* field : {"counts", "region_counts"}) {
    for (const std::uint64_t samples : {std::uint64_t{200'000'000'000}, UINT64_MAX}) {
      nlohmann::json value = to_json(test::made_tree());
      value[field][0][3] = samples;
      EXPECT_THROW(call_tree_from_json(value, "samples.json"), Error) << field << samples;
    }
    nlohmann::json value = to_json(test::made_tree());
    value[field][0][3] = -1;
    EXPECT_THROW(call_tree_from_json(value, "samples.json"), Error) << field;
  }
}

}  // namespace
}  // namespace plait::samples
