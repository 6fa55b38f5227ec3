// SPDX-License-Identifier: BSD-3-Clause
// Makes the folder for the output of several runs of a program.
#include "run/output_folder.hpp"

#include <fmt/format.h>

#include <system_error>

#include "plait/error.hpp"
#include "run/run_directory.hpp"

namespace plait::run {

std::filesystem::path make_output_folder(const std::filesystem::path& output,
                                         const std::string& parent, const std::string& program) {
  std::filesystem::path folder = output;
  if (folder.empty()) {
    folder = std::filesystem::path(parent) / fmt::format("{}-{}", run_name(program), iso_now());
  }
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed || !std::filesystem::is_empty(folder, failed)) {
    throw Error(folder.string(), failed ? failed.message() : "not empty",
                "give another folder with --output");
  }
  return std::filesystem::absolute(folder);
}

}  // namespace plait::run
