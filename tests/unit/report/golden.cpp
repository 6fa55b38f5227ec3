// SPDX-License-Identifier: BSD-3-Clause
// Compares text with a committed golden file; PLAIT_UPDATE_GOLDEN=1 writes it instead.
#include "golden.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/json_file.hpp"

namespace plait::report {

void expect_golden(const std::string& text, const std::string& name) {
  const std::filesystem::path file = std::filesystem::path(PLAIT_GOLDEN) / name;
  if (std::getenv("PLAIT_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    write_text_file(file, text);
    return;
  }
  EXPECT_EQ(text, read_text_file(file)) << "if the change is intended: PLAIT_UPDATE_GOLDEN=1 ctest";
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace plait::report
