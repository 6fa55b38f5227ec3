// SPDX-License-Identifier: BSD-3-Clause
// Runs code that may crash, hang or use too much memory in a child process.
#include "base/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>

#include "base/descriptor.hpp"
#include "base/failure.hpp"

namespace plait {
namespace {

constexpr std::size_t kMostText = std::size_t{256} << 20;

/// The first byte that the child sends.
enum class Sent : char { result = 'R', error = 'E', memory = 'M' };  // an error: then its code

void limit(__rlimit_resource_t resource, rlim_t most) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return;
  now.rlim_cur = std::min(now.rlim_cur, most);
  ::setrlimit(resource, &now);
}

/// Allows so many bytes more than now, unless a sanitizer has reserved terabytes.
void limit_memory(rlim_t more) {
  std::uint64_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return;
  const rlim_t bytes = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  if (bytes < rlim_t{1} << 40) limit(RLIMIT_AS, bytes + more);
}

void send(int to, Sent kind, const std::string& text) {
  std::string all(1, static_cast<char>(kind));
  all += text;
  for (std::size_t done = 0; done < all.size();) {
    const ssize_t n = ::write(to, all.data() + done, all.size() - done);
    if (n < 0 && errno != EINTR) ::_exit(1);
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void work_in_child(const std::function<std::string()>& work, const ChildLimits& limits,
                                int to, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM}) ::signal(number, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, limits.cpu_s);
  ::alarm(static_cast<unsigned>(limits.wall_s));
  limit_memory(limits.memory_bytes);
  try {
    send(to, Sent::result, work());
  } catch (const Error& error) {
    send(to, Sent::error, std::string(1, static_cast<char>(exit_code_of(error))) + error.what());
  } catch (const std::bad_alloc&) {
    send(to, Sent::memory, "");
  }
  ::_exit(0);
}

std::string receive(int from) {
  std::string text;
  std::array<char, 65536> part;
  while (text.size() < kMostText) {
    const ssize_t n = ::read(from, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace

ChildOutcome run_in_child(const std::function<std::string()>& work, const ChildLimits& limits) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Failure("pipe", std::strerror(errno), "raise the limit on open files");
  }
  Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw Failure("fork", std::strerror(errno), "raise the limit on processes");
  if (child == 0) work_in_child(work, limits, to.get(), parent);
  to = Descriptor();
  std::string text = receive(from.get());
  from = Descriptor();  // a child that still writes ends
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const auto has = [&](Sent kind) {
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && !text.empty() &&
           text.front() == static_cast<char>(kind);
  };
  if (has(Sent::result)) return {text.substr(1), ""};
  if (has(Sent::error) && text[1] == static_cast<char>(kInputExit)) throw Error(text.substr(2));
  if (has(Sent::error)) throw Failure(text.substr(2), text[1]);
  if (has(Sent::memory)) {
    return {"", fmt::format("needed more than {} MiB of memory", limits.memory_bytes >> 20)};
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
    return {"", fmt::format("took more than {} s", limits.cpu_s)};
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return {"", fmt::format("did not end within {} s", limits.wall_s)};
  }
  return {"", WIFSIGNALED(status) ? fmt::format("crashed (SIG{})", ::sigabbrev_np(WTERMSIG(status)))
                                  : "crashed"};
}

}  // namespace plait
