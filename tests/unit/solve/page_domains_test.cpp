// SPDX-License-Identifier: BSD-3-Clause
// The domains of blocks are those of their pages, also if threads have moved since.
#include "solve/schedules/page_domains.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "machine/discover.hpp"

namespace plait::solve {
namespace {

NumaDomains four_domains() {
  return NumaDomains(machine::discover_synthetic("numa:4 pu:1").topology);
}

TEST(PageDomains, BlocksAreWhereTheirPagesAre) {
  const Field<double> field({8, 8, 8}, 1);
  const Box low{{0, 0, 0}, {8, 8, 4}};
  const Box high{{0, 0, 4}, {8, 8, 8}};
  std::vector<std::size_t> asked;
  // The kernel has put the upper half into node 3, and does not know the other one.
  PageDomains pages(four_domains(), [&](std::span<void* const> addresses) {
    asked.push_back(addresses.size());
    std::vector<int> nodes;
    for (const void* address : addresses) nodes.push_back(address >= field.row(0, 4) ? 3 : -2);
    return nodes;
  });
  EXPECT_EQ(pages.of(field, high), -1) << "nobody has asked yet";
  pages.begin_step();
  pages.look_up(field, std::vector<Box>{low, high});
  EXPECT_EQ(pages.of(field, high), 3);
  EXPECT_EQ(pages.of(field, low), -1);
  pages.begin_step();
  pages.look_up(field, std::vector<Box>{low, high});
  EXPECT_EQ(asked, std::vector<std::size_t>{2}) << "each page is looked up once";
}

TEST(PageDomains, PagesMayMove) {
  const Field<double> field({8, 8, 8}, 1);
  int node = 0;
  PageDomains pages(four_domains(), [&](std::span<void* const> addresses) {
    return std::vector<int>(addresses.size(), node);
  });
  const std::vector<Box> blocks{field.own()};
  pages.look_up(field, blocks);
  EXPECT_EQ(pages.of(field, blocks[0]), 0);
  node = 2;
  for (int step = 0; step < 2000; ++step) {
    pages.begin_step();
    pages.look_up(field, blocks);
  }
  EXPECT_EQ(pages.of(field, blocks[0]), 2);
}

TEST(PageDomains, TheKernelSaysWhereTouchedPagesAre) {
  const Field<double> field({64, 64, 64}, 0);
  void* const address = field.view().at(32, 32, 32);
  const std::vector<int> nodes = nodes_of_pages(std::vector<void*>{address});
  ASSERT_EQ(nodes.size(), 1U);
  // Negative where the kernel forbids the question.
  const NumaDomains here = NumaDomains::of_cpus(machine::CpuSet::affinity_of(0));
  EXPECT_LT(here.of_node(nodes[0]), here.count());
  EXPECT_EQ(nodes_of_pages({}).size(), 0U);
}

}  // namespace
}  // namespace plait::solve
