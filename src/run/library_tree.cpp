// SPDX-License-Identifier: BSD-3-Clause
// Finds the shared libraries that a program loads at start, as the dynamic linker would.
#include "run/library_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "plait/error.hpp"

namespace plait::run {
namespace {

/// /etc/ld.so.cache, format "glibc-ld.so.cache1.1" (glibc sysdeps/generic/dl-cache.h): a header
/// of 48 bytes, then entries of 24 bytes whose names are offsets from the start of the header.
std::map<std::string, std::vector<std::string>> read_cache(const std::string& path) {
  std::map<std::string, std::vector<std::string>> result;
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string magic = "glibc-ld.so.cache1.1";
  const std::size_t start = bytes.find(magic);
  if (start == bytes.npos || bytes.size() - start < 48) return result;
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    if (start + at + 4 <= bytes.size()) std::memcpy(&value, bytes.data() + start + at, 4);
    return value;
  };
  const auto text = [&](std::uint32_t at) {
    return start + at < bytes.size() ? std::string(bytes.c_str() + start + at) : std::string();
  };
  const std::uint32_t entries = word(20);
  for (std::uint32_t i = 0; i < entries && start + 48 + (i + 1) * 24ULL <= bytes.size(); ++i) {
    const std::size_t entry = 48 + i * 24ULL;
    result[text(word(entry + 4))].push_back(text(word(entry + 8)));
  }
  return result;
}

std::vector<std::string> split(const char* list) {
  std::vector<std::string> result;
  std::string rest = list != nullptr ? list : "";
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(":;");
    if (end != 0) result.push_back(rest.substr(0, end));
    rest = end == rest.npos ? "" : rest.substr(end + 1);
  }
  return result;
}

bool is_library(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none);
}

class Finder {
public:
  explicit Finder(const LibrarySearch& search)
      : search_(search), cache_(read_cache(search.cache)) {}

  std::string find(const std::string& name, const ElfFile& by, const ElfFile& program) const {
    if (name.find('/') != name.npos) return is_library(name) ? name : "";
    std::vector<std::string> folders;
    const auto add = [&](const std::vector<std::string>& more) {
      folders.insert(folders.end(), more.begin(), more.end());
    };
    // DT_RUNPATH disables DT_RPATH and applies only to a file's direct dependencies (ld.so(8)).
    if (by.runpath.empty()) {
      add(by.rpath);
      if (program.runpath.empty()) add(program.rpath);
    }
    add(search_.library_path);
    add(by.runpath);
    for (const std::string& folder : folders) {
      const std::string candidate = folder + "/" + name;
      if (is_library(candidate)) return candidate;
    }
    if (const auto cached = cache_.find(name); cached != cache_.end()) {
      for (const std::string& candidate : cached->second) {
        if (fits(candidate)) return candidate;
      }
    }
    for (const std::string folder : {"/lib/", "/usr/lib/", "/lib64/", "/usr/lib64/"}) {
      if (is_library(folder + name)) return folder + name;
    }
    return "";
  }

private:
  /// The cache also lists libraries of other architectures (i386 on amd64).
  static bool fits(const std::string& path) {
    try {
      return is_library(path) && read_elf(path).has_value();
    } catch (const Error&) {
      return false;
    }
  }

  const LibrarySearch& search_;
  std::map<std::string, std::vector<std::string>> cache_;
};

}  // namespace

LibrarySearch LibrarySearch::from_environment() {
  LibrarySearch search;
  search.library_path = split(std::getenv("LD_LIBRARY_PATH"));
  return search;
}

std::string find_library(const std::string& name, const LibrarySearch& search) {
  return Finder(search).find(name, {}, {});
}

std::vector<NeededLibrary> needed_libraries(const ElfFile& program, const LibrarySearch& search) {
  const Finder finder(search);
  std::vector<NeededLibrary> result;
  std::set<std::string> seen;
  std::deque<ElfFile> files{program};
  while (!files.empty()) {
    const ElfFile file = std::move(files.front());
    files.pop_front();
    for (const std::string& name : file.needed) {
      if (!seen.insert(name).second) continue;
      NeededLibrary library{name, finder.find(name, file, program), file.path.filename().string()};
      try {
        if (!library.path.empty()) {
          if (auto next = read_elf(library.path)) files.push_back(std::move(*next));
        }
      } catch (const Error&) {
        library.path.clear();  // the dynamic linker will report what is wrong with it
      }
      result.push_back(std::move(library));
    }
  }
  return result;
}

}  // namespace plait::run
