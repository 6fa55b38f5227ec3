// SPDX-License-Identifier: BSD-3-Clause
// An output file gets its name when it is complete, and is not written through a link.
#include "export/output_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/json_file.hpp"
#include "plait/error.hpp"
#include "temporary_folder.hpp"

namespace plait::exports {
namespace {

namespace fs = std::filesystem;

TEST(OutputFile, IsNotWrittenThroughALink) {
  const TemporaryFolder folder;
  const fs::path precious = folder.path() / "precious", target = folder.path() / "trace.json";
  std::ofstream(precious) << "keep me";
  for (const std::string& end : {std::string(".part"), fmt::format(".part-{}-0", ::getpid())}) {
    fs::create_symlink(precious, target.string() + end);
  }
  OutputFile file(target, false);
  file.print("{} events", 2);
  EXPECT_FALSE(fs::exists(target));
  EXPECT_EQ(file.close(), 8U);
  EXPECT_EQ(read_text_file(target), "2 events");
  EXPECT_EQ(read_text_file(precious), "keep me");
  EXPECT_THROW(OutputFile(target, false), Error);
}

TEST(OutputFile, IsDeletedWithoutClose) {
  const TemporaryFolder folder;
  { OutputFile(folder.path() / "trace.json", false).print("x"); }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace plait::exports
