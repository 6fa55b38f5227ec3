// SPDX-License-Identifier: BSD-3-Clause
// Runs a helper command with a time limit and collects its output.
#include "base/subprocess.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "plait/error.hpp"

namespace plait {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw Error("pipe", std::strerror(errno), "raise the limit of open files", 1);
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

[[noreturn]] void become(const std::vector<std::string>& argv, const Pipe& in, const Pipe& out,
                         const Pipe& err,
                         const std::vector<std::pair<std::string, std::string>>& env) {
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

/// Reads what has come; closes the end at end of file.
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
  if (find_in_path(argv.at(0)).empty()) throw Error(argv[0], "command not found", "install it", 1);
  Pipe in;
  Pipe out;
  Pipe err;
  const pid_t child = ::fork();
  if (child < 0) throw Error(argv[0], std::strerror(errno), "raise the limit of processes", 1);
  if (child == 0) become(argv, in, out, err, env);
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
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (out.read_end >= 0 || err.read_end >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;
      break;
    }
    std::array<pollfd, 3> fds{
        {{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}, {in.write_end, POLLOUT, 0}}};
    if (::poll(fds.data(), fds.size(), static_cast<int>(left.count())) < 0) continue;
    if (fds[0].revents != 0) drain(out.read_end, result.out);
    if (fds[1].revents != 0) drain(err.read_end, result.err);
    if (fds[2].revents != 0) {
      const ssize_t n = ::write(in.write_end, input.data() + sent, input.size() - sent);
      if (n > 0) sent += static_cast<std::size_t>(n);
      if (n < 0 || sent == input.size()) in.close_write();
    }
  }
  if (result.timed_out) ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace plait
