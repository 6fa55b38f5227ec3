// SPDX-License-Identifier: BSD-3-Clause
// Secrets stay out of run directories; LD_PRELOAD grows without duplicates.
#include "base/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace plait {
namespace {

TEST(Environment, NamesOfSecrets) {
  for (const char* name : {"GITHUB_TOKEN", "aws_secret_access_key", "PGPASSWORD", "API_KEY",
                           "SSH_AUTH_SOCK", "MY_CREDENTIALS"}) {
    EXPECT_TRUE(is_secret_name(name)) << name;
  }
  for (const char* name : {"PATH", "OMP_NUM_THREADS", "LD_PRELOAD", "I_MPI_PIN_DOMAIN"}) {
    EXPECT_FALSE(is_secret_name(name)) << name;
  }
}

TEST(Environment, SecretsAreMasked) {
  ::setenv("PLAIT_TEST_TOKEN", "abc", 1);
  ::setenv("PLAIT_TEST_PLAIN", "abc", 1);
  const auto environment = masked_environment();
  EXPECT_EQ(environment.at("PLAIT_TEST_TOKEN"), "(masked)");
  EXPECT_EQ(environment.at("PLAIT_TEST_PLAIN"), "abc");
}

TEST(Environment, APreloadIsAppended) {
  EXPECT_EQ(extended_preload("", {"/p.so"}), "/p.so");
  EXPECT_EQ(extended_preload("/a.so", {"/p.so", "/q.so"}), "/a.so:/p.so:/q.so");
  EXPECT_EQ(extended_preload("/a.so:/p.so", {"/p.so"}), "/a.so:/p.so");
}

}  // namespace
}  // namespace plait
