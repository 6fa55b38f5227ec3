// SPDX-License-Identifier: BSD-3-Clause
// Tests that run-time addresses become the ones addr2line expects, checked on this program.
#include "trace/code_addresses.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace plait::trace {
namespace {

std::vector<Module> own_executable_mappings() {
  std::vector<Module> modules;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Module module;
    char permissions[5] = {};
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %*s %n", &module.start, &module.end,
                    permissions, &module.file_offset, &path_at) == 4 &&
        permissions[2] == 'x') {
      module.path = line.substr(static_cast<std::size_t>(path_at));
      modules.push_back(module);
    }
  }
  return modules;
}

TEST(CodeAddresses, AFunctionsAddressIsItsElfAddress) {
  const CodeAddresses addresses(own_executable_mappings());
  for (const char* name : {"malloc", "dlsym", "_ZSt9terminatev"}) {
    void* function = dlsym(RTLD_DEFAULT, name);
    ASSERT_NE(function, nullptr) << name;
    Dl_info info{};
    ASSERT_NE(dladdr(function, &info), 0);
    const auto pc = reinterpret_cast<std::uint64_t>(function);
    const CodeAddress address = addresses.resolve(pc, false);
    EXPECT_EQ(std::filesystem::canonical(address.module.text()),
              std::filesystem::canonical(info.dli_fname));
    // For a shared object the ELF address is the distance to its load base.
    EXPECT_EQ(address.offset, pc - reinterpret_cast<std::uint64_t>(info.dli_fbase));
    EXPECT_EQ(address.pc, pc);
    EXPECT_EQ(addresses.resolve(pc + 5, true).offset, address.offset + 4);
  }
}

TEST(CodeAddresses, AnUnmappedAddressHasNoModule) {
  const CodeAddresses addresses({{0x1000, 0x2000, 0, "/nowhere/app"}});
  EXPECT_EQ(addresses.resolve(0x2000, false).module, "");
  EXPECT_EQ(addresses.resolve(0x2000, false).offset, 0x2000u);
  EXPECT_EQ(addresses.resolve(0, true).offset, 0u);
}

TEST(CodeAddresses, AMissingFileLeavesTheFileOffset) {
  const CodeAddresses addresses({{0x1000, 0x2000, 0x400, "/nowhere/app"}});
  EXPECT_EQ(addresses.resolve(0x1010, false).module, "/nowhere/app");
  EXPECT_EQ(addresses.resolve(0x1010, false).offset, 0x410u);
}

TEST(CodeAddresses, TheLaterOfTwoOverlappingModulesWins) {
  const CodeAddresses addresses({{0x1000, 0x2000, 0, "/old.so"}, {0x1000, 0x2000, 0, "/new.so"}});
  EXPECT_EQ(addresses.resolve(0x1800, false).module, "/new.so");
}

}  // namespace
}  // namespace plait::trace
