// SPDX-License-Identifier: BSD-3-Clause
// Stencil programs of others for comparison: Devito, which runs on request, and YASK.
#include "peers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/subprocess.hpp"
#include "measure/affinity.hpp"
#include "plait/error.hpp"

namespace plait::bench {

std::unique_ptr<Devito> Devito::start(int n, int cpu, std::string& why) {
  if (!std::filesystem::exists(PLAIT_DEVITO_PYTHON)) {
    why = "not installed (tools/bootstrap bench)";
    return nullptr;
  }
  int to[2];
  int from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
    throw Error("Devito", "cannot create a pipe", "close programs");
  }
  std::signal(SIGPIPE, SIG_IGN);
  const std::string size = std::to_string(n);
  const pid_t process = fork();
  if (process == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    measure::bind_this_thread(cpu);
    setenv("OMP_NUM_THREADS", "1", 1);
    execl(PLAIT_DEVITO_PYTHON, PLAIT_DEVITO_PYTHON, PLAIT_DEVITO_PEER, size.c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  std::unique_ptr<Devito> peer(new Devito(process, to[1], from[0]));
  if (const std::string ready = peer->line(); ready.rfind("ready", 0) != 0) {
    why = ready.empty() ? "it did not start" : ready;
    return nullptr;
  }
  return peer;
}

Devito::~Devito() {
  close(to_);  // it exits at the end of its input
  close(from_);
  waitpid(process_, nullptr, 0);
}

std::string Devito::line() {
  std::string text;
  constexpr int most_ms = 120'000;  // the first run compiles
  for (char c = 0;; text += c) {
    pollfd input{from_, POLLIN, 0};
    if (poll(&input, 1, most_ms) <= 0 || read(from_, &c, 1) != 1 || c == '\n') return text;
  }
}

double Devito::seconds(int sweeps) {
  const std::string order = std::to_string(sweeps) + "\n";
  const bool sent = write(to_, order.data(), order.size()) == static_cast<ssize_t>(order.size());
  const std::string answer = sent ? line() : std::string();
  const double value = std::strtod(answer.c_str(), nullptr);
  if (value <= 0) throw Error("Devito", "it ended or did not answer: " + answer, "run again");
  return value;
}

std::optional<double> yask_rate(const std::string& program, int n) {
  const auto result =
      run_command({program, "-g", std::to_string(n), "-num_trials", "3", "-trial_time", "2"},
                  std::chrono::seconds(120), {}, {{"OMP_NUM_THREADS", "1"}});
  const std::string key = "mid-throughput (num-points/sec):";
  const auto found = result.out.find(key);
  if (found == std::string::npos) return std::nullopt;
  char* unit = nullptr;
  const double number = std::strtod(result.out.c_str() + found + key.size(), &unit);
  return number * (*unit == 'G' ? 1e9 : *unit == 'M' ? 1e6 : *unit == 'K' ? 1e3 : 1.0);
}

}  // namespace plait::bench
