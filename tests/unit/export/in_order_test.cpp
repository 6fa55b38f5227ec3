// SPDX-License-Identifier: BSD-3-Clause
// Parts of a file that threads make at the same time come in their order.
#include "export/in_order.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "base/json_file.hpp"
#include "temporary_folder.hpp"

namespace plait::exports {
namespace {

TEST(InOrder, PutsPartsInOrderWhateverTheirSizes) {
  const TemporaryFolder folder;
  OutputFile file(folder.path() / "parts", false);
  std::string expected;
  // Some are put together, some alone, and some are empty.
  const auto events = [](std::size_t i) { return i % 7 == 0 ? std::size_t{1} << 20 : i % 100'000; };
  const auto text = [](std::size_t i) { return i % 5 == 0 ? "" : fmt::format("<{}>", i); };
  constexpr std::size_t kParts = 3000;
  for (std::size_t i = 0; i < kParts; ++i) expected += text(i);
  put_in_order(file, kParts, events, [&](Sink& out, std::size_t i) { out.put(text(i)); });
  EXPECT_EQ(file.close(), expected.size());
  EXPECT_EQ(read_text_file(folder.path() / "parts"), expected);
}

TEST(InOrder, PutsItemsOfAListBehindEachOther) {
  const TemporaryFolder folder;
  for (const std::size_t count : {0, 1, 2, 999, 10'000}) {
    for (const std::size_t together : {1, 3, 1000}) {
      OutputFile file(folder.path() / "list", true);
      std::string expected;
      for (std::size_t i = 0; i < count; ++i) {
        if (i % 3 == 2) expected += fmt::format("{}{}", expected.empty() ? "" : ",", i);
      }
      bool any = false;
      put_list(file, count, together, any, [](Sink& out, std::size_t i) {
        if (i % 3 == 2) out.print(",{}", i);
      });
      file.close();
      EXPECT_EQ(read_text_file(folder.path() / "list"), expected) << count << ' ' << together;
    }
  }
}

TEST(InOrder, ThrowsWhatAPartThrows) {
  const TemporaryFolder folder;
  {
    OutputFile file(folder.path() / "parts", false);
    EXPECT_THROW(put_in_order(
                     file, 100, [](std::size_t) { return std::size_t{1}; },
                     [](Sink& out, std::size_t i) {
                       out.put("x");
                       if (i == 50) throw std::runtime_error("no room");
                     }),
                 std::runtime_error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace plait::exports
