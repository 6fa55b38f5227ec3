// SPDX-License-Identifier: BSD-3-Clause
// Makes the folder of --spool, and moves the records from there into the run directory.
#include "run/spool.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "base/descriptor.hpp"
#include "base/failure.hpp"
#include "plait/error.hpp"
#include "trace/container.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

/// The file in a spool that holds the path of the run directory. Its lock shows that it is in use.
constexpr const char* kMark = ".run";

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
    if (name != "." && name != ".." && name != kMark) names.push_back(name);
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
  const Descriptor from(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (from.get() < 0) return Moved::failed;
  const fs::path target = into / name;
  const Descriptor to(
      ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (to.get() < 0) return Moved::failed;
  if (const int error = copy_data(from.get(), to.get(), status.st_size)) {
    ::unlink(target.c_str());
    errno = error;
    return Moved::failed;
  }
  ::unlinkat(folder, name.c_str(), 0);
  return Moved::yes;
}

/// What became of the records in a spool.
struct Emptied {
  std::size_t files = 0;
  std::vector<std::string> problems;
};

/// Moves the files of an open folder into another one. Leaves what is not a file of this user.
Emptied empty_folder(int folder, const fs::path& path, const fs::path& records) {
  Emptied emptied;
  int foreign = 0;
  for (const std::string& name : names_in(folder)) {
    switch (move_file(folder, name, records)) {
      case Moved::yes:
        ++emptied.files;
        break;
      case Moved::foreign:
        ++foreign;
        break;
      case Moved::failed:
        emptied.problems.push_back(
            fmt::format("cannot copy {} to {} ({}); free space and run plait collect {}",
                        (path / name).string(), records.string(), std::strerror(errno),
                        records.parent_path().string()));
    }
  }
  if (foreign > 0) {
    emptied.problems.push_back(
        fmt::format("{}: ignored {}; remove the folder by hand", path.string(),
                    foreign == 1 ? "an entry that is not your own file"
                                 : fmt::format("{} entries that are not your own files", foreign)));
  }
  return emptied;
}

/// Removes a folder if nothing but the mark is in it.
void remove_if_empty(int folder, const fs::path& path) {
  if (!names_in(folder).empty()) return;
  ::unlinkat(folder, kMark, 0);
  ::rmdir(path.c_str());
}

std::string mark_of(const fs::path& path) {
  std::error_code problem;
  const fs::path found = fs::weakly_canonical(fs::absolute(path), problem);
  return (problem ? fs::absolute(path) : found).string();
}

/// Writes the mark and locks it. -1: the file system does not permit it, so that nothing can be
/// collected from there.
int make_mark(int folder, const fs::path& run) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int mark = ::openat(folder, kMark, kFlags, 0600);
  const std::string text = mark_of(run);
  if (mark < 0) return -1;
  if (::write(mark, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::flock(mark, LOCK_EX | LOCK_NB) != 0) {
    ::close(mark);
    return -1;
  }
  return mark;
}

/// True if a process of this user has a file of the folder mapped, as ranks have their records.
bool is_mapped(const fs::path& folder) {
  std::error_code problem;
  for (fs::directory_iterator at("/proc", problem), end; !problem && at != end;
       at.increment(problem)) {
    const std::string name = at->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream maps(at->path() / "maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find(folder.string() + "/") != std::string::npos) return true;
    }
  }
  return false;
}

/// A spool of a run, left by a process that was killed or could not bring it in.
struct LeftSpool {
  fs::path path;
  Descriptor folder, mark;
};

/// The spool at this path if it is one of this user, and of the run.
std::optional<LeftSpool> open_spool(const fs::path& path, const std::string& run) {
  LeftSpool spool{path,
                  Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
                  Descriptor()};
  struct stat status {};
  if (spool.folder.get() < 0 || ::fstat(spool.folder.get(), &status) != 0 ||
      status.st_uid != ::geteuid() || (status.st_mode & 0777) != 0700) {
    return {};
  }
  spool.mark = Descriptor(::openat(spool.folder.get(), kMark, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::string text(PATH_MAX, '\0');
  const ssize_t got =
      spool.mark.get() < 0 ? -1 : ::read(spool.mark.get(), text.data(), text.size());
  // Ranks write the path as it was given.
  if (got <= 0 || mark_of(text.substr(0, static_cast<std::size_t>(got))) != run) return {};
  return spool;
}

/// Calls `collect` with each spool of the run below `base` that no process uses any more.
template <class Collect>
Collected for_each_spool(const fs::path& base, const fs::path& run, Collect collect) {
  Collected collected;
  const std::string wanted = mark_of(run);
  const fs::path folder = fs::absolute(base).lexically_normal();
  std::error_code problem;
  std::vector<fs::path> paths;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (at->path().filename().string().starts_with("plait-")) paths.push_back(at->path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    std::optional<LeftSpool> spool = open_spool(path, wanted);
    if (!spool) continue;
    ++collected.spools;
    if (::flock(spool->mark.get(), LOCK_EX | LOCK_NB) != 0 || is_mapped(path)) {
      collected.problems.push_back(
          fmt::format("{}: the run has not ended on this node; wait for it, or end its processes",
                      path.string()));
      continue;
    }
    collect(std::move(*spool), collected);
  }
  return collected;
}

}  // namespace

Spool::Spool(const fs::path& base, const std::string& name, const fs::path& run) {
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
    mark_ = make_mark(folder_, run);
    return;
  }
  if (folder_ >= 0) ::close(folder_);
  fail(path, "another user replaced it");
}

Spool::~Spool() {
  if (folder_ < 0) return;
  remove_if_empty(folder_, path_);
  if (mark_ >= 0) ::close(mark_);
  ::close(folder_);
}

std::vector<std::string> Spool::empty_into(const fs::path& records) const {
  if (folder_ < 0) return {};
  return empty_folder(folder_, path_, records).problems;
}

Collected collect_spools(const fs::path& base, const fs::path& run, const fs::path& records) {
  return for_each_spool(base, run, [&](const LeftSpool& spool, Collected& collected) {
    const Emptied emptied = empty_folder(spool.folder.get(), spool.path, records);
    collected.files += emptied.files;
    collected.problems.insert(collected.problems.end(), emptied.problems.begin(),
                              emptied.problems.end());
    remove_if_empty(spool.folder.get(), spool.path);
  });
}

Collected store_spools(const fs::path& base, const fs::path& run, int to, const std::string& name) {
  std::vector<LeftSpool> spools;
  Collected collected = for_each_spool(
      base, run, [&](LeftSpool spool, Collected&) { spools.push_back(std::move(spool)); });
  if (spools.empty()) return collected;
  std::vector<fs::path> files;
  std::vector<std::string> unreadable;
  for (const LeftSpool& spool : spools) {
    for (const fs::path& file : trace::list_all_record_files(spool.path, &unreadable)) {
      files.push_back(file);
    }
  }
  const std::vector<std::string> stored = trace::write_container(to, name, files);
  collected.files = stored.size();
  collected.problems.insert(collected.problems.end(), unreadable.begin(), unreadable.end());
  // What was left out stays, with the rest of its spool.
  if (stored.size() != files.size() || !unreadable.empty()) {
    collected.problems.push_back(
        fmt::format("{} files cannot be read, so nothing is removed; make them readable, and "
                    "collect again",
                    files.size() - stored.size() + unreadable.size()));
    return collected;
  }
  for (const LeftSpool& spool : spools) {
    for (const std::string& file : names_in(spool.folder.get())) {
      ::unlinkat(spool.folder.get(), file.c_str(), 0);
    }
    remove_if_empty(spool.folder.get(), spool.path);
  }
  return collected;
}

}  // namespace plait::run
