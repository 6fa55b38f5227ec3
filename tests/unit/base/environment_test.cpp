// SPDX-License-Identifier: BSD-3-Clause
// LD_PRELOAD grows without duplicates.
#include "base/environment.hpp"

#include <gtest/gtest.h>

namespace plait {
namespace {

TEST(Environment, APreloadIsAppended) {
  EXPECT_EQ(extended_preload("", {"/p.so"}), "/p.so");
  EXPECT_EQ(extended_preload("/a.so", {"/p.so", "/q.so"}), "/a.so:/p.so:/q.so");
  EXPECT_EQ(extended_preload("/a.so:/p.so", {"/p.so"}), "/a.so:/p.so");
}

}  // namespace
}  // namespace plait
