// SPDX-License-Identifier: BSD-3-Clause
// Passes an output stream of a program to our own stream and copies it into a file.
#include "run/output_copy.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/failure.hpp"
#include "plait/error.hpp"

namespace plait::run {
namespace {

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

OutputCopy::OutputCopy(int ours, const std::filesystem::path& file, bool show)
    : ours_(ours), show_(show), name_(file.filename().string()) {
  if (!file.empty()) {
    file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file_ < 0) {
      throw Failure(file.string(), fmt::format("cannot be written ({})", std::strerror(errno)),
                    "choose another folder with --output");
    }
  }
  try {
    open_channel();
  } catch (...) {
    close_fd(file_);
    throw;
  }
}

OutputCopy::~OutputCopy() {
  close_fd(program_end_);
  close_fd(our_end_);
  close_fd(file_);
}

void OutputCopy::open_channel() {
  termios modes{};
  winsize size{};
  if (show_ && ::isatty(ours_) == 1 && ::tcgetattr(ours_, &modes) == 0) {
    ::ioctl(ours_, TIOCGWINSZ, &size);
    // The real terminal processes the output; doing it here too would change the bytes.
    modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    if (::openpty(&our_end_, &program_end_, nullptr, &modes, &size) == 0) {
      ::fcntl(our_end_, F_SETFD, FD_CLOEXEC);
      ::fcntl(program_end_, F_SETFD, FD_CLOEXEC);
      terminal_ = true;
      return;
    }
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Failure("pipe", std::strerror(errno), "raise the limit on open files");
  }
  our_end_ = ends[0];
  program_end_ = ends[1];
}

void OutputCopy::close_program_end() {
  close_fd(program_end_);
}

void OutputCopy::move() {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(our_end_, buffer.data(), buffer.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) {  // a pty without writers returns EIO
    close_fd(our_end_);
    return;
  }
  if (terminal_) follow_window_size();
  keep(buffer.data(), static_cast<std::size_t>(n));
  if (show_) pass_on(buffer.data(), static_cast<std::size_t>(n));
}

void OutputCopy::pass_on(const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t n = ::write(ours_, bytes, count);
    if (n > 0) {
      bytes += n;
      count -= static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      pollfd ready{ours_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      close_fd(our_end_);
      return;
    }
  }
}

void OutputCopy::keep(const char* bytes, std::size_t count) {
  while (count > 0 && file_ >= 0) {
    const ssize_t n = ::write(file_, bytes, count);
    if (n > 0) {
      bytes += n;
      count -= static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      problem_ = fmt::format("{} is incomplete: {}; free space in the run directory", name_,
                             std::strerror(errno));
      fmt::print(stderr, "plait: warning: {}\n", problem_);
      close_fd(file_);
    }
  }
}

void OutputCopy::follow_window_size() const {
  winsize now{};
  winsize set{};
  if (::ioctl(ours_, TIOCGWINSZ, &now) == 0 && ::ioctl(our_end_, TIOCGWINSZ, &set) == 0 &&
      (now.ws_col != set.ws_col || now.ws_row != set.ws_row)) {
    ::ioctl(our_end_, TIOCSWINSZ, &now);
  }
}

}  // namespace plait::run
