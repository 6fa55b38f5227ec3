// SPDX-License-Identifier: BSD-3-Clause
// Shared memory that has no name in the file system, and locks that end with their process.
#include "transport/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>

#include "plait/error.hpp"

namespace plait::transport {
namespace {

constexpr uint64_t kMagic = 0x34747261'6c707471;  // changes when the layout does
constexpr off_t kLocks = off_t{1} << 60;          // beyond all bytes

/// Closes a file unless it is released.
struct File {
  int number;
  ~File() {
    if (number >= 0) close(number);
  }
  int release() { return std::exchange(number, -1); }
};

/// An amount of memory that is needed or free.
std::string amount(uint64_t bytes) {
  return bytes < (10 << 20) ? std::to_string(bytes >> 10) + " KiB"
                            : std::to_string(bytes >> 20) + " MiB";
}

/// Another name is tried if this one exists; the name is removed at once.
int open_named(const std::string& directory) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != sizeof random) return -1;
    char name[48];
    std::snprintf(name, sizeof name, "/plait-%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    const std::string path = directory + name;
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0) unlink(path.c_str());
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

int open_nameless(const std::string& directory) {
  const int file = open(directory.c_str(), O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  return open_named(directory);
}

struct flock lock_byte(uint32_t lock) {
  return {F_WRLCK, SEEK_SET, kLocks + lock, 1, 0};
}

/// Repeats a call as long as signals interrupt it. @return its error; 0: none
template <class Call>
int error_of(Call call) {
  while (call() != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

/// Reserves bytes of a file. @return the error; 0: none
int reserve_bytes(int file, uint64_t offset, uint64_t bytes) {
  return error_of(
      [&] { return fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)); });
}

/// The error of a file that could not be given its size.
Error size_error(int file, int error, uint64_t bytes, const std::string& directory) {
  const std::string reason = std::strerror(error);
  if (error != ENOSPC) {
    return {directory, "cannot reserve " + amount(bytes) + " of shared memory: " + reason,
            "use fewer processes, or raise the limit of files (ulimit -f)"};
  }
  struct statvfs room {};
  const bool known = fstatvfs(file, &room) == 0;
  return {directory,
          "no room for " + amount(bytes) + " of shared memory: " +
              (known ? amount(uint64_t{room.f_bavail} * room.f_frsize) + " are free" : reason),
          "use fewer processes, or enlarge it (mount -o remount,size=...; docker run "
          "--shm-size=...)"};
}

std::byte* map(int file, uint64_t bytes) {
  void* const data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (data == MAP_FAILED) {
    throw Error("shared memory", "cannot map " + amount(bytes) + ": " + std::strerror(errno),
                "raise the limit of virtual memory (ulimit -v)");
  }
  madvise(data, bytes, MADV_DONTDUMP);  // most of the addresses have no memory
  return static_cast<std::byte*>(data);
}

}  // namespace

bool permits_file_of(uint64_t bytes) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

Segment Segment::create(uint64_t committed, uint64_t bytes, const std::string& directory) {
  File file{open_nameless(directory)};
  if (file.number < 0) {
    throw Error(directory, std::string("cannot create shared memory: ") + std::strerror(errno),
                "mount a memory file system there that you may write to");
  }
  if (!permits_file_of(bytes)) throw size_error(file.number, EFBIG, bytes, directory);
  int error = error_of([&] { return ftruncate(file.number, static_cast<off_t>(bytes)); });
  if (error == 0) error = reserve_bytes(file.number, 0, committed);
  if (error != 0) throw size_error(file.number, error, committed, directory);
  std::byte* const data = map(file.number, bytes);
  auto* const header = reinterpret_cast<SegmentHeader*>(data);
  if (getrandom(header->token, sizeof header->token, 0) != sizeof header->token) {
    munmap(data, bytes);
    throw Error("getrandom", std::strerror(errno),
                "allow this system call, or use the MPI library's own transport");
  }
  header->bytes = bytes;
  header->magic = kMagic;
  return {file.release(), data, bytes};
}

Segment Segment::open(const std::string& address) {
  int process = 0, number = 0;
  uint64_t token[2];
  if (std::sscanf(address.c_str(), "%d:%d:%16" SCNx64 "%16" SCNx64, &process, &number, &token[0],
                  &token[1]) != 4) {
    throw Error(address, "not an address of shared memory", "give that of the first process");
  }
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(number);
  // Without O_NONBLOCK another file, such as a pipe, could block.
  File file{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (file.number < 0) {
    const int error = errno;
    const bool other = error == EACCES || error == EPERM;
    throw Error("shared memory of process " + std::to_string(process),
                other ? "of another user" : std::strerror(error),
                other ? "start all processes as the same user"
                      : "start all processes again, in the same PID namespace");
  }
  struct stat status {};
  if (fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode)) {
    throw Error(address, "not shared memory", "start all processes again");
  }
  if (status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
    throw Error("shared memory of process " + std::to_string(process), "of another user",
                "start all processes as the same user");
  }
  SegmentHeader header{};
  if (pread(file.number, &header, sizeof header, 0) != sizeof header || header.magic != kMagic ||
      header.token[0] != token[0] || header.token[1] != token[1] ||
      header.bytes != static_cast<uint64_t>(status.st_size)) {
    throw Error(address, "not the address of this shared memory", "start all processes again");
  }
  std::byte* const data = map(file.number, header.bytes);
  return {file.release(), data, header.bytes};
}

Segment::Segment(Segment&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(other.bytes_) {}

Segment::~Segment() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (file_ >= 0) close(file_);
}

std::string Segment::address() const {
  const auto* const header = reinterpret_cast<const SegmentHeader*>(data_);
  char text[80];
  std::snprintf(text, sizeof text, "%d:%d:%016" PRIx64 "%016" PRIx64, static_cast<int>(getpid()),
                file_, header->token[0], header->token[1]);
  return text;
}

bool Segment::reserve(uint64_t offset, uint64_t bytes) const noexcept {
  return offset + bytes <= bytes_ && reserve_bytes(file_, offset, bytes) == 0;
}

uint64_t Segment::reserved() const noexcept {
  struct stat status {};
  return fstat(file_, &status) == 0 ? static_cast<uint64_t>(status.st_blocks) * 512 : 0;
}

bool Segment::hold(uint32_t lock) const noexcept {
  struct flock byte = lock_byte(lock);
  return fcntl(file_, F_SETLK, &byte) == 0;
}

void Segment::release(uint32_t lock) const noexcept {
  struct flock byte = lock_byte(lock);
  byte.l_type = F_UNLCK;
  fcntl(file_, F_SETLK, &byte);
}

bool Segment::is_held(uint32_t lock) const noexcept {
  struct flock byte = lock_byte(lock);
  return fcntl(file_, F_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

}  // namespace plait::transport
