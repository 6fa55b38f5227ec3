// SPDX-License-Identifier: BSD-3-Clause
// Runs a helper command with a time limit and collects its output.
#include "base/subprocess.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/failure.hpp"
#include "plait/error.hpp"

namespace plait {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw Failure("pipe", std::strerror(errno), "raise the limit on open files");
    }
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_read() { close_one(read_end); }
  void close_write() { close_one(write_end); }

private:
  static void close_one(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

constexpr std::chrono::seconds kGrace{5};  ///< between a signal that was passed on and SIGKILL

/// The pipe into which the handler writes the signal. A handler is needed because other threads may
/// run beside the caller.
volatile std::sig_atomic_t caught_to = -1;

void on_signal(int number) {
  const int before = errno;
  const auto byte = static_cast<char>(number);
  [[maybe_unused]] const ssize_t written = ::write(caught_to, &byte, 1);
  errno = before;
}

/// While the object lives, SIGINT, SIGTERM and SIGHUP arrive through a pipe, except those that the
/// process ignores.
class SignalCatch {
public:
  SignalCatch() {
    caught_to = pipe_.write_end;
    struct sigaction handler {};
    handler.sa_handler = on_signal;
    handler.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kCaught.size(); ++i) {
      ::sigaction(kCaught[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kCaught[i], &handler, nullptr);
    }
  }
  ~SignalCatch() {
    for (std::size_t i = 0; i < kCaught.size(); ++i) {
      ::sigaction(kCaught[i], &before_[i], nullptr);
    }
    caught_to = -1;
  }
  SignalCatch(const SignalCatch&) = delete;
  SignalCatch& operator=(const SignalCatch&) = delete;

  [[nodiscard]] int fd() const { return pipe_.read_end; }
  /// The next signal that arrived; 0 when there is none.
  [[nodiscard]] int next() const {
    pollfd one{pipe_.read_end, POLLIN, 0};
    char byte = 0;
    return ::poll(&one, 1, 0) == 1 && ::read(pipe_.read_end, &byte, 1) == 1 ? byte : 0;
  }

private:
  static constexpr std::array<int, 3> kCaught{SIGINT, SIGTERM, SIGHUP};
  Pipe pipe_;
  std::array<struct sigaction, 3> before_{};
};

[[noreturn]] void become(const std::vector<std::string>& argv, const Pipe& in, const Pipe& out,
                         const Pipe& err, pid_t parent,
                         const std::vector<std::pair<std::string, std::string>>& env) {
  // Otherwise the command would outlive this process if it were killed.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  ::setpgid(0, 0);
  ::dup2(in.read_end, 0);
  ::dup2(out.write_end, 1);
  ::dup2(err.write_end, 2);
  ::signal(SIGPIPE, SIG_DFL);
  for (const auto& [name, value] : env) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> args;
  for (const std::string& arg : argv) args.push_back(const_cast<char*>(arg.c_str()));
  args.push_back(nullptr);
  ::execvp(args[0], args.data());
  ::_exit(127);
}

/// Reads what is available; closes the descriptor at end of file.
void drain(int& fd, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  if (n > 0) {
    into.append(buffer.data(), static_cast<std::size_t>(n));
  } else if (n == 0 || errno != EINTR) {
    ::close(fd);
    fd = -1;
  }
}

}  // namespace

Interrupted::Interrupted(int signal)
    : std::runtime_error(fmt::format("interrupted by SIG{}", ::sigabbrev_np(signal))),
      exit_code_(128 + signal) {}

std::string find_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::string folder = rest.substr(0, end);
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return "";
}

CommandResult run_command(const std::vector<std::string>& argv, std::chrono::milliseconds limit,
                          const std::string& input,
                          const std::vector<std::pair<std::string, std::string>>& env) {
  if (find_in_path(argv.at(0)).empty()) throw Failure(argv[0], "command not found", "install it");
  Pipe in;
  Pipe out;
  Pipe err;
  const pid_t parent = ::getpid();
  const SignalCatch signals;
  const pid_t child = ::fork();
  if (child < 0) throw Failure(argv[0], std::strerror(errno), "raise the limit on processes");
  if (child == 0) become(argv, in, out, err, parent, env);
  ::setpgid(child, child);
  in.close_read();
  out.close_write();
  err.close_write();
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  struct sigaction before {};
  ::sigaction(SIGPIPE, &ignore, &before);

  CommandResult result;
  std::size_t sent = 0;
  if (input.empty()) in.close_write();
  int interrupted_by = 0;
  auto deadline = std::chrono::steady_clock::now() + limit;
  while (out.read_end >= 0 || err.read_end >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;
      break;
    }
    std::array<pollfd, 4> fds{{{out.read_end, POLLIN, 0},
                               {err.read_end, POLLIN, 0},
                               {in.write_end, POLLOUT, 0},
                               {signals.fd(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), static_cast<int>(left.count())) < 0) continue;
    if (fds[0].revents != 0) drain(out.read_end, result.out);
    if (fds[1].revents != 0) drain(err.read_end, result.err);
    if (fds[2].revents != 0) {
      const ssize_t n = ::write(in.write_end, input.data() + sent, input.size() - sent);
      if (n > 0) sent += static_cast<std::size_t>(n);
      if (n < 0 || sent == input.size()) in.close_write();
    }
    if (fds[3].revents != 0) {
      interrupted_by = signals.next();
      ::kill(-child, interrupted_by);
      deadline = std::min(deadline, std::chrono::steady_clock::now() + kGrace);
    }
  }
  if (result.timed_out) ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  if (interrupted_by == 0) interrupted_by = signals.next();
  if (interrupted_by != 0) throw Interrupted(interrupted_by);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace plait
