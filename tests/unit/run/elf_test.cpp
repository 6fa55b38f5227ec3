// SPDX-License-Identifier: BSD-3-Clause
// ELF files are read without running them.
#include "run/elf.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "plait/error.hpp"
#include "run/library_tree.hpp"

namespace plait::run {
namespace {

const std::string kStandIns = PLAIT_STAND_INS;

/// A file with the given bytes that is removed again.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string& bytes) {
    path_ = testing::TempDir() + "plait_elf_" + std::to_string(::getpid());
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
};

TEST(Elf, AnExecutableNeedsItsLibraries) {
  const auto elf = read_elf(kStandIns + "/needs_openmpi");
  ASSERT_TRUE(elf);
  EXPECT_FALSE(elf->is_static());
  EXPECT_TRUE(elf->dynamic);
  EXPECT_NE(std::find(elf->needed.begin(), elf->needed.end(), "libmpi.so.40"), elf->needed.end());
  EXPECT_NE(std::find(elf->imports.begin(), elf->imports.end(), "MPI_Init"), elf->imports.end());
  EXPECT_TRUE(elf->own_mpi.empty());
}

TEST(Elf, ASystemProgramIsRead) {
  const auto elf = read_elf("/bin/ls");
  ASSERT_TRUE(elf);
  EXPECT_NE(std::find(elf->needed.begin(), elf->needed.end(), "libc.so.6"), elf->needed.end());
  EXPECT_FALSE(elf->interpreter.empty());
}

TEST(Elf, AStaticExecutableShowsTheMpiInIt) {
  const auto elf = read_elf(kStandIns + "/static_mpi");
  ASSERT_TRUE(elf);
  EXPECT_TRUE(elf->is_static());
  EXPECT_TRUE(elf->needed.empty());
  EXPECT_EQ(elf->own_mpi, "MPI_Init");
}

TEST(Elf, AScriptIsNoElfFile) {
  const TemporaryFile script("#!/bin/sh\nexit 0\n");
  EXPECT_FALSE(read_elf(script.path()));
  const TemporaryFile empty("");
  EXPECT_FALSE(read_elf(empty.path()));
}

TEST(Elf, DamagedFilesAreErrorsNotCrashes) {
  std::ifstream in(kStandIns + "/needs_openmpi", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (const std::size_t length : {20UL, 64UL, 500UL, whole.size() / 2}) {
    const TemporaryFile cut(whole.substr(0, length));
    EXPECT_THROW(read_elf(cut.path()), Error) << length;
  }
  for (std::size_t at = 16; at < 2000; at += 7) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x5a);
    const TemporaryFile file(changed);
    try {
      static_cast<void>(read_elf(file.path()));
    } catch (const Error&) {
      // Either is fine: read, or refused.
    }
  }
}

TEST(Elf, AMissingFileIsAnError) {
  EXPECT_THROW(read_elf("/nowhere/app"), Error);
}

TEST(LibraryTree, LibrariesOfLibrariesAreFound) {
  const auto elf = read_elf(kStandIns + "/needs_solver");
  ASSERT_TRUE(elf);
  const auto tree = needed_libraries(*elf, {});
  const auto mpi = std::find_if(tree.begin(), tree.end(),
                                [](const auto& library) { return library.name == "libmpi.so.40"; });
  ASSERT_NE(mpi, tree.end());
  EXPECT_EQ(mpi->needed_by, "libstand_in_solver.so");
  const auto c = std::find_if(tree.begin(), tree.end(),
                              [](const auto& library) { return library.name == "libc.so.6"; });
  ASSERT_NE(c, tree.end());
  EXPECT_FALSE(c->path.empty());
}

TEST(LibraryTree, TheLibraryPathComesBeforeTheCache) {
  LibrarySearch search;
  search.library_path = {kStandIns};
  EXPECT_EQ(find_library("libmpi.so.40", search), kStandIns + "/libmpi.so.40");
  EXPECT_EQ(find_library("libno_such_library.so.7", search), "");
}

}  // namespace
}  // namespace plait::run
