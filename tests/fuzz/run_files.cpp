// SPDX-License-Identifier: BSD-3-Clause
// Runs a reader on files instead of fuzzing it: for compilers without libFuzzer, and for the tests.
// plait_fuzz --reader=NAME FILE_OR_FOLDER... The memory of the process is limited to 1 GiB.
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

void run(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  std::fprintf(stderr, "%s\n", file.c_str());  // the last line before a crash
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  LLVMFuzzerInitialize(&argc, &argv);
#ifndef PLAIT_FUZZ_UNLIMITED
  const rlimit most{rlim_t{1} << 30, rlim_t{1} << 30};
  ::setrlimit(RLIMIT_AS, &most);
#endif
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with("-")) continue;
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) run(file);
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
