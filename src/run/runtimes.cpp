// SPDX-License-Identifier: BSD-3-Clause
// Finds the OpenMP runtimes of this system.
#include "run/runtimes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "run/library_tree.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

/// Runtimes with OMPT look up ompt_start_tool, so they contain its name.
bool has_ompt(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return bytes.find("ompt_start_tool") != bytes.npos;
}

/// Folders of LLVM's Debian packages and of Intel's compiler.
std::vector<std::string> usual_folders() {
  std::vector<std::string> folders;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/usr/lib", none)) {
    if (entry.path().filename().string().compare(0, 5, "llvm-") == 0) {
      folders.push_back((entry.path() / "lib").string());
    }
  }
  std::sort(folders.rbegin(), folders.rend());  // the newest first
  folders.emplace_back("/opt/intel/oneapi/compiler/latest/lib");
  return folders;
}

}  // namespace

std::vector<OmpRuntime> find_omp_runtimes() {
  LibrarySearch search = LibrarySearch::from_environment();
  std::vector<OmpRuntime> found;
  std::vector<fs::path> seen;
  const auto add = [&](const std::string& name, const std::string& path) {
    std::error_code none;
    const fs::path real = fs::canonical(path, none);
    if (none || std::find(seen.begin(), seen.end(), real) != seen.end()) return;
    seen.push_back(real);
    found.push_back({name, path, has_ompt(path)});
  };
  for (const auto& [name, file] : {std::pair{"libgomp", "libgomp.so.1"},
                                   {"libomp", "libomp.so.5"},
                                   {"libomp", "libomp.so"},
                                   {"libiomp5", "libiomp5.so"}}) {
    if (const std::string path = find_library(file, search); !path.empty()) add(name, path);
  }
  for (const std::string& folder : usual_folders()) {
    for (const auto& [name, file] :
         {std::pair{"libomp", "/libomp.so.5"}, {"libiomp5", "/libiomp5.so"}}) {
      if (fs::exists(folder + file)) add(name, folder + file);
    }
  }
  return found;
}

std::string find_llvm_openmp() {
  for (const OmpRuntime& runtime : find_omp_runtimes()) {
    if (runtime.ompt && runtime.name != "libgomp") return runtime.path;
  }
  return "";
}

}  // namespace plait::run
