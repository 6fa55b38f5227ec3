// SPDX-License-Identifier: BSD-3-Clause
// The file into which one rank writes what it found, a line at a time.
#pragma once

#include <cstdio>
#include <string>

namespace plait::measure {

/// Lines reach the file at once, so that they survive a crash.
class RankFile {
public:
  /// @param path  empty file made anew; when it cannot be, lines are lost and the host notices
  explicit RankFile(const std::string& path) : file_(std::fopen(path.c_str(), "w")) {}
  ~RankFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  RankFile(const RankFile&) = delete;
  RankFile& operator=(const RankFile&) = delete;

  void line(const std::string& text) {
    if (file_ == nullptr) return;
    std::fputs((text + "\n").c_str(), file_);
    std::fflush(file_);
  }

private:
  std::FILE* file_;
};

}  // namespace plait::measure
