// SPDX-License-Identifier: BSD-3-Clause
// samples.json is read as it was written, and damage is refused.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace plait::samples
