// SPDX-License-Identifier: BSD-3-Clause
// Segments have no name, are refused to others, and say so when there is no room.
#include "transport/segment.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "plait/error.hpp"
#include "transport/fragments.hpp"
#include "transport/node.hpp"

namespace plait::transport {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

int names_in_shared_memory() {
  int names = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    names += entry.path().filename().string().starts_with("plait-") ? 1 : 0;
  return names;
}

TEST(Segment, HasNoNameAndIsForItsUserOnly) {
  const int before = names_in_shared_memory();
  const Segment segment = Segment::create(8192, 1 << 20);
  EXPECT_EQ(names_in_shared_memory(), before);
  const std::string address = segment.address();
  const std::string file =
      "/proc/self/fd/" +
      address.substr(address.find(':') + 1, address.rfind(':') - address.find(':') - 1);
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_EQ(status.st_nlink, 0u);
}

TEST(Segment, IsOpenedByItsAddressOnly) {
  const Segment segment = Segment::create(8192, 1 << 20);
  const Segment other = Segment::open(segment.address());
  segment.data()[5000] = std::byte{7};
  EXPECT_EQ(other.data()[5000], std::byte{7});
  EXPECT_EQ(other.bytes(), segment.bytes());
  std::string wrong = segment.address();
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  EXPECT_NE(error_of([&] { Segment::open(wrong); }).find("not the address of this shared memory"),
            std::string::npos);
  EXPECT_NE(error_of([] { Segment::open("x"); }).find("x: not an address"), std::string::npos);
  EXPECT_NE(error_of([] {
              Segment::open("999999999:3:00000000000000000000000000000000");
            }).find("start all processes again"),
            std::string::npos);
}

TEST(Segment, IsNotInCoreDumps) {
  const Segment segment = Segment::create(4096, uint64_t{1} << 30);
  std::ostringstream begin;
  begin << std::hex << reinterpret_cast<uintptr_t>(segment.data()) << '-';
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  while (std::getline(maps, line) && !line.starts_with(begin.str())) {
  }
  while (std::getline(maps, line) && !line.starts_with("VmFlags:")) {
  }
  EXPECT_NE((line + " ").find(" dd "), std::string::npos) << line;
}

TEST(Segment, TwoHaveDifferentAddresses) {
  const Segment one = Segment::create(4096, 4096), two = Segment::create(4096, 4096);
  EXPECT_NE(one.address().substr(one.address().rfind(':')),
            two.address().substr(two.address().rfind(':')));
}

TEST(Segment, NoRoomIsOneError) {
  struct statvfs room {};
  ASSERT_EQ(statvfs("/dev/shm", &room), 0);
  if (room.f_blocks == 0) GTEST_SKIP() << "/dev/shm has no limit";
  const uint64_t too_much = uint64_t{room.f_blocks} * room.f_frsize + (1 << 30);
  const std::string error = error_of([&] { Segment::create(too_much, too_much); });
  EXPECT_TRUE(error.starts_with("/dev/shm: no room for ")) << error;
  EXPECT_NE(error.find("; use fewer processes, or enlarge it"), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST(Segment, ADirectoryThatCannotBeUsedIsOneError) {
  EXPECT_TRUE(error_of([] {
                Segment::create(1, 1, "/no/such/folder");
              }).starts_with("/no/such/folder: cannot create shared memory: No such file"));
}

TEST(Segment, ReservesMore) {
  const Segment segment = Segment::create(4096, uint64_t{1} << 30);
  const uint64_t before = segment.reserved();
  EXPECT_LE(before, 8192u);
  EXPECT_TRUE(segment.reserve(4096, 65536));
  EXPECT_EQ(segment.reserved(), before + 65536);
  EXPECT_FALSE(segment.reserve(uint64_t{1} << 30, 1));
}

/// Runs a child and returns its exit code.
int code_of(const std::function<int()>& child) {
  const pid_t process = fork();
  if (process == 0) _exit(child());
  int status = 0;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Segment, AnotherErrorThanNoRoomIsNamed) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limited{4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  const std::string error = error_of([] { Segment::create(8192, 8192); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_NE(error.find("cannot reserve 8 KiB of shared memory: File too large"), std::string::npos)
      << error;
}

TEST(Segment, LocksAreThoseOfAProcess) {
  const Segment segment = Segment::create(4096, 4096);
  ASSERT_TRUE(segment.hold(3));
  EXPECT_FALSE(segment.is_held(3));  // by another process
  EXPECT_EQ(code_of([&] { return segment.is_held(3) && !segment.hold(3) && segment.hold(4); }), 1);
  EXPECT_FALSE(segment.is_held(4));
  segment.release(3);
  EXPECT_EQ(code_of([&] { return segment.hold(3); }), 1);
}

TEST(Segment, AnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const Segment segment = Segment::create(4096, 4096);
  const std::string address = segment.address();
  EXPECT_EQ(code_of([&] {
              if (setgid(65534) != 0 || setuid(65534) != 0) return 2;
              const std::string error = error_of([&] { Segment::open(address); });
              return error.find("of another user; start all processes as the same user") !=
                             std::string::npos
                         ? 0
                         : 1;
            }),
            0);
}

TEST(Pool, GivesBlocksOfEachSizeAndTakesThemBack) {
  constexpr uint32_t kMost[kBlockSizes] = {2, 1, 1};
  const uint64_t bytes = Pool::bytes_for(kMost);
  const Node node = Node::create(1, 0, {bytes, 0});
  Pool pool(node, 0, kMost, node.fixed(0), bytes, bytes);
  Block* const small = pool.take(192);
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(small->size, kSmall);
  ASSERT_NE(pool.take(0), nullptr);
  Block* const eager = pool.take(0);  // there are no more small ones
  ASSERT_NE(eager, nullptr);
  EXPECT_EQ(eager->size, kEager);
  EXPECT_EQ(pool.take(193), nullptr);
  Block* const large = pool.take(4097);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(pool.take(kFragmentBytes), nullptr);
  EXPECT_EQ(pool.take(kFragmentBytes + 1), nullptr);
  pool.give_back(large);
  pool.give_back(small);
  EXPECT_EQ(pool.take(kFragmentBytes), large);
  EXPECT_EQ(pool.take(8), small);
}

TEST(Pool, GrowsUntilItsAddressesEnd) {
  constexpr uint32_t kMost[kBlockSizes] = {0, kUnlimited, 0};
  const Node node = Node::create(1, 0, {0, 1 << 20});
  Pool pool(node, 0, kMost, node.growth(0), 1 << 20, 0);
  uint32_t blocks = 0;
  while (pool.take(4096) != nullptr) ++blocks;
  EXPECT_EQ(blocks, (1u << 20) / 4160);
}

}  // namespace
}  // namespace plait::transport
