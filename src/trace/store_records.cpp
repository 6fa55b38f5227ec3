// SPDX-License-Identifier: BSD-3-Clause
// Writes containers of records: of the loose files of nodes, and again without some members.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/failure.hpp"
#include "plait/error.hpp"
#include "trace/container.hpp"
#include "trace/container_writer.hpp"

namespace plait::trace {

namespace {

namespace fs = std::filesystem;

/// The files of a process that go into containers. Others belong to a node.
constexpr std::array kSuffixes = {".rec", ".evt", ".smp", ".functions", ".map"};

constexpr std::uint64_t kPiece = 1 << 20;

bool put_in_file(void* context, const void* data, std::uint64_t bytes) {
  const int file = *static_cast<int*>(context);
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::write(file, from, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    from += done;
    bytes -= static_cast<std::uint64_t>(done);
  }
  return true;
}

/// "HOST-PID-ID" of "HOST-PID-ID.rec"; empty for other names.
std::string process_of(const fs::path& file) {
  for (const char* suffix : kSuffixes) {
    if (file.extension() == suffix) return file.stem().string();
  }
  return "";
}

/// The host in "HOST-PID-ID", which may contain hyphens itself.
std::string host_of(const std::string& process) {
  const std::size_t id = process.rfind('-');
  const std::size_t pid = id == std::string::npos || id == 0 ? id : process.rfind('-', id - 1);
  return pid == std::string::npos ? "" : process.substr(0, pid);
}

/// Writes a container under another name and then renames it, so that none is seen half.
std::vector<std::string> write_whole(const fs::path& container,
                                     const std::vector<fs::path>& files) {
  const fs::path part = container.string() + ".part";
  const Descriptor to(
      ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (to.get() < 0) {
    throw Failure(part.string(), fmt::format("cannot be created ({})", std::strerror(errno)),
                  "free disk space; the records are kept");
  }
  try {
    std::vector<std::string> names = write_container(to.get(), container.string(), files);
    // An older container must not lose what could not be read now.
    if (fs::exists(container) && names.size() != files.size()) {
      throw Failure(container.string(), "not all of its files can be read",
                    "it is left as it is; make its files readable");
    }
    fs::rename(part, container);
    return names;
  } catch (...) {
    std::error_code none;
    fs::remove(part, none);
    throw;
  }
}

}  // namespace

std::vector<fs::path> list_all_record_files(const fs::path& folder,
                                            std::vector<std::string>* problems) {
  std::vector<fs::path> files;
  for (const char* suffix : kSuffixes) {
    // A container that cannot be read is one problem, and not one for each suffix.
    const bool first = suffix == kSuffixes.front();
    const auto some = list_record_files(folder, suffix, first ? problems : nullptr);
    files.insert(files.end(), some.begin(), some.end());
  }
  return files;
}

std::vector<std::string> write_container(int to, const std::string& name,
                                         const std::vector<fs::path>& files) {
  std::vector<plait_container_member> members(files.size());
  std::vector<char> buffer(kPiece);
  ContainerWriter writer(
      {members.data(), static_cast<std::uint32_t>(members.size()), buffer.data(), buffer.size()},
      &put_in_file, &to);
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    const std::optional<RecordPlace> place = find_record_file(file);
    if (!place) continue;
    const Descriptor from(::open(place->file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    const std::string own = file.filename().string();
    if (from.get() >= 0 && writer.add(own.c_str(), from.get(), place->offset, place->bytes)) {
      names.push_back(own);
    }
  }
  if (!writer.end()) {
    throw Failure(name, fmt::format("cannot be written ({})", std::strerror(errno)),
                  "free disk space; the records are kept");
  }
  return names;
}

void remove_record_files(const std::vector<fs::path>& files) {
  std::map<fs::path, std::set<std::string>> removed;
  for (const fs::path& file : files) {
    if (file.parent_path().extension() == kContainerSuffix) {
      removed[file.parent_path()].insert(file.filename().string());
    } else {
      fs::remove(file);
    }
  }
  for (const auto& [container, names] : removed) {
    std::vector<fs::path> kept;
    for (const plait_container_member& member : container_members(container)) {
      if (!names.contains(member.name)) kept.push_back(container / member.name);
    }
    write_whole(container, kept);
  }
}

std::vector<std::string> store_records(const fs::path& folder, std::size_t most) {
  std::map<std::string, std::vector<fs::path>> hosts;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    const std::string host = host_of(process_of(entry.path()));
    if (!host.empty() && entry.is_regular_file(missing)) hosts[host].push_back(entry.path());
  }
  std::vector<std::string> problems;
  for (auto& [host, files] : hosts) {
    if (files.size() <= most) continue;
    std::sort(files.begin(), files.end());
    // An interruption may have left the container of one of the processes, and files of it.
    const auto unused = std::ranges::find_if(files, [&](const fs::path& file) {
      return !fs::exists(folder / (process_of(file) + kContainerSuffix));
    });
    if (unused == files.end()) continue;
    const fs::path container = folder / (process_of(*unused) + kContainerSuffix);
    try {
      for (const std::string& stored : write_whole(container, files)) fs::remove(folder / stored);
    } catch (const std::exception& error) {
      problems.emplace_back(error.what());
    }
  }
  return problems;
}

}  // namespace plait::trace
