// SPDX-License-Identifier: BSD-3-Clause
// Secrets are found in names, arguments and texts, and nothing else is.
#include "base/secrets.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace plait {
namespace {

TEST(Secrets, NamesOfSecrets) {
  for (const char* name :
       {"GITHUB_TOKEN", "aws_secret_access_key", "PGPASSWORD", "API_KEY", "MY_CREDENTIALS",
        "SLURM_JWT", "MYSQL_PWD", "PGPASS", "GITHUB_PAT", "--db-password", "dbPassword", "TOKEN2",
        "apikey", "PASSPHRASE", "Authorization", "OMPI_MCA_key"}) {
    EXPECT_TRUE(is_secret_name(name)) << name;
  }
  for (const char* name :
       {"PATH", "OMP_NUM_THREADS", "LD_PRELOAD", "I_MPI_PIN_DOMAIN", "PWD", "OLDPWD", "--keyboard",
        "--tokenizer", "--bypass", "--password-file", "KEY_LENGTH", "SLURM_TASK_PID", "", "--"}) {
    EXPECT_FALSE(is_secret_name(name)) << name;
  }
}

TEST(Secrets, KnownVariables) {
  for (const char* name : {"PATH", "OMP_NUM_THREADS", "OMPI_MCA_btl", "SLURM_JOB_ID", "PLAIT_MAP",
                           "LD_PRELOAD", "LC_ALL", "I_MPI_PIN", "UCX_TLS", "MKL_NUM_THREADS"}) {
    EXPECT_TRUE(is_known_variable(name)) << name;
  }
  for (const char* name : {"DATABASE_URL", "HISTFILE", "SSH_AUTH_SOCK", "XOMP_NUM", "PATHS"}) {
    EXPECT_FALSE(is_known_variable(name)) << name;
  }
}

TEST(Secrets, TextsAreMasked) {
  const auto expect = [](const char* text, const char* masked) {
    EXPECT_EQ(masked_text(text), masked);
    EXPECT_EQ(masked_text(masked), masked) << "masked again";
  };
  expect("--password=a b;c", "--password=(masked)");
  expect("postgres://me:pa:ss@host/db?x=1", "postgres://me:(masked)@host/db?x=1");
  expect("https://a:b@c https://d:e@f", "https://a:(masked)@c https://d:(masked)@f");
  expect("https://h/?token=abc&n=3", "https://h/?token=(masked)&n=3");
  expect("--export=ALL,GITHUB_PAT=abc,N=1", "--export=ALL,GITHUB_PAT=(masked),N=1");
  expect("Server=x;Password=y;Port=1", "Server=x;Password=(masked);Port=1");
  expect("Authorization: Bearer abc def", "Authorization: (masked)");
  expect(R"j({"password": "a, b", "n": 1})j", R"j({"password": "(masked)", "n": 1})j");
  expect("pass:abc", "pass:(masked)");
  expect("x ghp_0123456789abcdef01 y", "x (masked) y");
  expect("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc-def", "(masked)");
}

TEST(Secrets, OtherTextsAreUnchanged) {
  for (const char* text :
       {"", "-n", "4", "--tokens=512", "--tokens=1.5k", "--auth=none", "ppr:2:node", "N=1,M=2",
        "https://host:80/a@b", "user@host", "/opt/key:/opt/token:/usr/bin", "--map-by=slot:PE=2",
        "a=b=c", "tcp4://127.0.0.1:4111", "sk-learn", "=x", ":", "key=", "C:\\x"}) {
    EXPECT_EQ(masked_text(text), text);
  }
}

TEST(Secrets, ArgumentsBehindSecretNamesAreMasked) {
  using List = std::vector<std::string>;
  EXPECT_EQ(masked_arguments({"--password", "a", "--token", "b", "c"}),
            (List{"--password", "(masked)", "--token", "(masked)", "c"}));
  EXPECT_EQ(masked_arguments({"-genv", "PGPASS", "a", "-env", "N", "1"}),
            (List{"-genv", "PGPASS", "(masked)", "-env", "N", "1"}));
  const List plain{"--password", "--verbose", "--tokens", "512", "./secret", "out", "--key=", "x"};
  EXPECT_EQ(masked_arguments(plain), plain);
}

TEST(Secrets, OnlyKnownVariablesAreKept) {
  ::setenv("PLAIT_TEST_TOKEN", "abc", 1);
  ::setenv("PLAIT_TEST_PLAIN", "abc", 1);
  ::setenv("PLAIT_TEST_URL", "http://me:abc@host", 1);
  ::setenv("UNKNOWN_TEST", "abc", 1);
  const auto environment = masked_environment();
  EXPECT_EQ(environment.at("PLAIT_TEST_TOKEN"), "(masked)");
  EXPECT_EQ(environment.at("PLAIT_TEST_PLAIN"), "abc");
  EXPECT_EQ(environment.at("PLAIT_TEST_URL"), "http://me:(masked)@host");
  EXPECT_EQ(environment.count("UNKNOWN_TEST"), 0U);
  const auto whole = whole_environment();
  EXPECT_EQ(whole.at("PLAIT_TEST_TOKEN"), "abc");
  EXPECT_EQ(whole.at("UNKNOWN_TEST"), "abc");
}

}  // namespace
}  // namespace plait
