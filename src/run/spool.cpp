// SPDX-License-Identifier: BSD-3-Clause
// Makes the folder of --spool, and moves the records from there into the run directory.
#include "run/spool.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/failure.hpp"
#include "plait/error.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

/// A descriptor that the destructor closes.
struct OpenFile {
  int fd;
  explicit OpenFile(int opened) : fd(opened) {}
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
};

/// Copies the bytes from one offset to another; 0, or the error.
int copy_bytes(int from, int to, off_t begin, off_t end) {
  std::array<char, 1 << 16> buffer;
  while (begin < end) {
    const auto wanted =
        static_cast<std::size_t>(std::min<off_t>(end - begin, static_cast<off_t>(buffer.size())));
    const ssize_t got = ::pread(from, buffer.data(), wanted, begin);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    for (ssize_t done = 0; done < got;) {
      const ssize_t n =
          ::pwrite(to, buffer.data() + done, static_cast<std::size_t>(got - done), begin + done);
      if (n < 0 && errno != EINTR) return errno;
      done += std::max<ssize_t>(n, 0);
    }
    begin += got;
  }
  return 0;
}

/// Copies a file and keeps its holes: a record is mostly holes. 0, or the error.
int copy_data(int from, int to, off_t bytes) {
  if (::ftruncate(to, bytes) != 0) return errno;
  for (off_t at = 0; at < bytes;) {
    const off_t begin = ::lseek(from, at, SEEK_DATA);
    if (begin < 0) return errno == ENXIO ? 0 : errno;  // ENXIO: only a hole is left
    const off_t end = ::lseek(from, begin, SEEK_HOLE);
    if (end < 0) return errno;
    if (const int error = copy_bytes(from, to, begin, end)) return error;
    at = end;
  }
  return 0;
}

/// The names in an open folder.
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  DIR* const list = ::fdopendir(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (list == nullptr) return names;
  while (const dirent* entry = ::readdir(list)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  ::closedir(list);
  std::sort(names.begin(), names.end());
  return names;
}

bool is_own_file(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
}

enum class Moved { yes, foreign, failed };

/// Moves one file from an open folder. Sets errno on failure.
Moved move_file(int folder, const std::string& name, const fs::path& into) {
  struct stat status {};
  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return Moved::failed;
  if (!is_own_file(status)) return Moved::foreign;
  const OpenFile from(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (from.fd < 0) return Moved::failed;
  const fs::path target = into / name;
  const OpenFile to(
      ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (to.fd < 0) return Moved::failed;
  if (const int error = copy_data(from.fd, to.fd, status.st_size)) {
    ::unlink(target.c_str());
    errno = error;
    return Moved::failed;
  }
  ::unlinkat(folder, name.c_str(), 0);
  return Moved::yes;
}

}  // namespace

Spool::Spool(const fs::path& base, const std::string& name) {
  if (base.empty()) return;
  const auto fail = [&](const fs::path& what, const std::string& why) {
    throw Failure(what.string(), fmt::format("cannot be created ({})", why),
                  "pass --spool with a writable folder such as /dev/shm");
  };
  const fs::path folder = fs::absolute(base).lexically_normal();
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) fail(folder, problem.message());
  std::string path = (folder / fmt::format("plait-{:.100}-XXXXXX", name)).string();
  if (::mkdtemp(path.data()) == nullptr) fail(path, std::strerror(errno));
  path_ = path;
  folder_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat made {};
  if (folder_ >= 0 && ::fstat(folder_, &made) == 0 && made.st_uid == ::geteuid() &&
      (made.st_mode & 0777) == 0700) {
    return;
  }
  if (folder_ >= 0) ::close(folder_);
  fail(path, "another user replaced it");
}

Spool::~Spool() {
  if (folder_ < 0) return;
  ::close(folder_);
  ::rmdir(path_.c_str());
}

std::vector<std::string> Spool::empty_into(const fs::path& records) const {
  std::vector<std::string> problems;
  if (folder_ < 0) return problems;
  int foreign = 0;
  for (const std::string& name : names_in(folder_)) {
    switch (move_file(folder_, name, records)) {
      case Moved::yes:
        break;
      case Moved::foreign:
        ++foreign;
        break;
      case Moved::failed:
        problems.push_back(fmt::format("cannot copy {} to {} ({}); free space and copy it by hand",
                                       (path_ / name).string(), records.string(),
                                       std::strerror(errno)));
    }
  }
  if (foreign > 0) {
    problems.push_back(
        fmt::format("{}: ignored {}; remove the folder by hand", path_.string(),
                    foreign == 1 ? "an entry that is not your own file"
                                 : fmt::format("{} entries that are not your own files", foreign)));
  }
  return problems;
}

}  // namespace plait::run
