// SPDX-License-Identifier: BSD-3-Clause
// Passes an output stream of a program to our own stream and copies it into a file.
#pragma once

#include <filesystem>
#include <string>

namespace plait::run {

/// The channel of one stream. If our stream is a terminal, the program gets a pty, so that it
/// buffers and colours its output as it would without us; else it gets a pipe.
class OutputCopy {
public:
  /// @param ours  1 or 2
  /// @param file  gets the copy; empty: none
  /// @param show  pass the bytes on to `ours`
  /// @throws Error when no channel can be made or the file cannot be created.
  OutputCopy(int ours, const std::filesystem::path& file, bool show);
  ~OutputCopy();
  OutputCopy(const OutputCopy&) = delete;
  OutputCopy& operator=(const OutputCopy&) = delete;

  [[nodiscard]] int program_end() const { return program_end_; }
  /// To poll for reading; -1 when the stream has ended.
  [[nodiscard]] int our_end() const { return our_end_; }
  /// To be called by the parent after the fork.
  void close_program_end();
  /// Moves the bytes that are available. Closes our end at the end of the stream, and when our own
  /// stream has no reader any more: the program then gets SIGPIPE, as without us.
  void move();
  /// Why the copy is incomplete; empty if it is complete.
  [[nodiscard]] const std::string& problem() const { return problem_; }

private:
  void open_channel();
  void pass_on(const char* bytes, std::size_t count);
  void keep(const char* bytes, std::size_t count);
  void follow_window_size() const;

  int ours_;
  bool show_;
  bool terminal_ = false;
  int program_end_ = -1;
  int our_end_ = -1;
  int file_ = -1;
  std::string name_;
  std::string problem_;
};

}  // namespace plait::run
