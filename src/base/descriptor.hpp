// SPDX-License-Identifier: BSD-3-Clause
// A file descriptor that is closed at the end of a scope.
#pragma once

#include <unistd.h>

#include <utility>

namespace plait {

/// A file descriptor that the destructor closes; -1: none.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] int get() const { return fd_; }
  /// Gives up the descriptor without closing it.
  int release() { return std::exchange(fd_, -1); }

private:
  int fd_;
};

}  // namespace plait
