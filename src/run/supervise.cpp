// SPDX-License-Identifier: BSD-3-Clause
// Runs a program as if it had been started directly, copies its output and enforces a time limit.
#include "run/supervise.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/failure.hpp"
#include "base/process_tree.hpp"
#include "plait/error.hpp"
#include "run/output_copy.hpp"
#include "run/stuck_launcher.hpp"

namespace plait::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kGrace{5};           ///< from SIGTERM to SIGKILL
constexpr std::chrono::seconds kOutputPatience{2};  ///< for output after the end of the program
/// A program that goes on for longer was not interrupted by a signal: srun only reports its tasks
/// at the first ^C, and programs may handle signals.
constexpr std::chrono::seconds kAftermath{10};

constexpr std::array<int, 6> kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/// Reads the signals of this process through a descriptor while the object exists.
class Signals {
public:
  Signals() {
    sigset_t wanted;
    ::sigemptyset(&wanted);
    for (const int number : kPassedOn) {
      struct sigaction now {};
      ::sigaction(number, nullptr, &now);
      // Signals that the caller made us ignore (nohup) stay ignored in the program.
      if (now.sa_handler != SIG_IGN) ::sigaddset(&wanted, number);
    }
    ::sigaddset(&wanted, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &wanted, &before_);
    fd_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &pipe_before_);
    ::sigaction(SIGTTOU, &ignore, &ttou_before_);
  }
  ~Signals() {
    restore();
    ::close(fd_);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] int next() const {
    signalfd_siginfo info{};
    return ::read(fd_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }
  void restore() const {
    ::sigaction(SIGPIPE, &pipe_before_, nullptr);
    ::sigaction(SIGTTOU, &ttou_before_, nullptr);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  int fd_ = -1;
  sigset_t before_{};
  struct sigaction pipe_before_ {};
  struct sigaction ttou_before_ {};
};

/// Gives the terminal to the process group of the program, as a shell does, so that it can read.
class TerminalLoan {
public:
  explicit TerminalLoan(bool wanted)
      : lent_(wanted && ::isatty(0) == 1 && ::tcgetpgrp(0) == ::getpgrp()) {}
  ~TerminalLoan() { take_back(); }
  TerminalLoan(const TerminalLoan&) = delete;
  TerminalLoan& operator=(const TerminalLoan&) = delete;

  void lend(pid_t group) const {
    if (lent_) ::tcsetpgrp(0, group);
  }
  void take_back() const {
    if (lent_) ::tcsetpgrp(0, ::getpgrp());
  }
  [[nodiscard]] bool is_lent() const { return lent_; }

private:
  bool lent_;
};

class Supervisor {
public:
  explicit Supervisor(const ProcessRequest& request)
      : request_(request),
        out_(1, request.stdout_copy, request.show_stdout),
        err_(2, request.stderr_copy, request.show_stderr),
        terminal_(request.own_group && !request.unattended) {}

  ProcessEnd run() {
    if (request_.own_group) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const auto began =
        Clock::now();  // before the fork: start() returns when the program may be over
    start();
    if (request_.time_limit_s) {
      deadline_ = began + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(*request_.time_limit_s));
    }
    while (!ended_ || out_.our_end() >= 0 || err_.our_end() >= 0) {
      if (ended_ && Clock::now() > ended_at_ + kOutputPatience) {
        end_.problems.emplace_back(
            "processes that outlived the program still have its output open; what they write from "
            "now on is lost");
        break;
      }
      wait_for_something();
      if (!ended_) watch();
      if (!ended_) look_for_hang();
      if (!ended_) enforce_limit();
    }
    if (outcome_ && request_.own_group) end_all(SIGKILL);  // processes that outlived the program
    end_witness();
    if (end_.interrupted_by && ended_at_ > interrupted_at_ + kAftermath)
      end_.interrupted_by.reset();
    end_.wall_s = std::chrono::duration<double>(ended_at_ - began).count();
    if (request_.own_group) ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    for (const OutputCopy* copy : {&out_, &err_}) {
      if (!copy->problem().empty()) end_.problems.push_back(copy->problem());
    }
    return end_;
  }

private:
  void start() {
    std::array<int, 2> failed{};
    if (::pipe2(failed.data(), O_CLOEXEC) != 0) {
      throw Failure("pipe", std::strerror(errno), "raise the limit on open files");
    }
    const pid_t parent = ::getpid();
    child_ = ::fork();
    if (child_ == 0) become_program(failed[1], parent);
    const int why_no_fork = errno;
    ::close(failed[1]);
    int why = 0;
    if (child_ > 0 && request_.own_group) {
      ::setpgid(child_, child_);
      terminal_.lend(child_);
      if (terminal_.is_lent()) start_witness();
    }
    const bool no_exec = child_ > 0 && ::read(failed[0], &why, sizeof why) == sizeof why;
    ::close(failed[0]);
    if (child_ < 0 || no_exec) {
      if (no_exec) ::waitpid(child_, nullptr, 0);
      throw Failure(
          request_.argv.front(),
          fmt::format("cannot be started ({})", std::strerror(no_exec ? why : why_no_fork)),
          "check the program");
    }
    out_.close_program_end();
    err_.close_program_end();
    if (request_.stuck_after) stuck_.emplace(child_, *request_.stuck_after);
  }

  /// ^C goes to the process group that has the terminal, which is not ours. Another process in that
  /// group ends by it, and so tells us.
  void start_witness() {
    const pid_t parent = ::getpid();
    witness_ = ::fork();
    if (witness_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent || ::setpgid(0, child_) != 0) ::_exit(0);
    for (const int fd : {0, 1, 2, out_.program_end(), out_.our_end(), err_.program_end(),
                         err_.our_end(), signals_.fd()}) {
      ::close(fd);
    }
    for (const int number : kPassedOn) {
      if (number != SIGINT) ::signal(number, SIG_IGN);
    }
    signals_.restore();
    for (;;) ::pause();
  }

  void end_witness() {
    if (witness_ <= 0) return;
    int status = 0;
    ::kill(witness_, SIGKILL);
    if (::waitpid(witness_, &status, 0) == witness_) hear_witness(status);
  }

  void hear_witness(int status) {
    if (WIFSTOPPED(status)) return;
    witness_ = -1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) note_interruption(SIGINT);
  }

  [[noreturn]] void become_program(int failed, pid_t parent) {
    // If this process is killed, the program ends too.
    ::prctl(PR_SET_PDEATHSIG, request_.own_group ? SIGTERM : SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    if (request_.own_group) {
      ::setpgid(0, 0);
      terminal_.lend(::getpid());
    }
    if (request_.unattended && ::isatty(0) == 1) ::dup2(::open("/dev/null", O_RDONLY), 0);
    ::dup2(out_.program_end(), 1);
    ::dup2(err_.program_end(), 2);
    for (const auto& [name, value] : request_.environment) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    signals_.restore();
    std::vector<char*> argv;
    for (const std::string& text : request_.argv) argv.push_back(const_cast<char*>(text.c_str()));
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    const int why = errno;
    [[maybe_unused]] const ssize_t written = ::write(failed, &why, sizeof why);
    ::_exit(127);
  }

  void wait_for_something() {
    std::array<pollfd, 3> fds{
        {{out_.our_end(), POLLIN, 0}, {err_.our_end(), POLLIN, 0}, {signals_.fd(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), patience_ms()) < 0) return;
    if (fds[0].revents != 0) out_.move();
    if (fds[1].revents != 0) err_.move();
    if (fds[2].revents != 0) {
      for (int number = signals_.next(); number != 0; number = signals_.next()) on_signal(number);
    }
  }

  [[nodiscard]] int patience_ms() const {
    if (ended_) return 100;
    const int unwatched = stuck_ ? 1000 : -1;
    const bool watches = request_.watch && !outcome_;
    const long long most = watches ? request_.watch_every.count() : 1000;
    if (!deadline_) return watches ? static_cast<int>(most) : unwatched;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now());
    return static_cast<int>(std::clamp<long long>(left.count(), 0, most));
  }

  void on_signal(int number) {
    if (number == SIGCHLD) {
      look_after_children();
      return;
    }
    if (number != SIGUSR1 && number != SIGUSR2) note_interruption(number);
    if (!ended_) {
      // To the program only, as if it had been signalled itself: a launcher ends its ranks in its
      // own way. Signals of the terminal (^C) reach the whole group without us.
      ::kill(child_, number);
    }
  }

  void note_interruption(int number) {
    if (!end_.interrupted_by) end_.interrupted_by = number;
    interrupted_at_ = Clock::now();
    if (!request_.unattended || ended_ || outcome_) return;
    outcome_ = true;
    deadline_ = Clock::now() + kGrace;
  }

  void look_after_children() {
    int status = 0;
    for (pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED); pid > 0;
         pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) {
      if (pid == witness_) hear_witness(status);
      if (pid != child_) continue;  // perhaps an orphan that was reparented to us
      if (WIFSTOPPED(status)) {
        suspend_with_program();
        continue;
      }
      ended_ = true;
      ended_at_ = Clock::now();
      if (code_of_processes_) {
        end_.exit_code = *code_of_processes_;
      } else if (WIFSIGNALED(status)) {
        end_.signal = WTERMSIG(status);
        end_.exit_code = 128 + WTERMSIG(status);
      } else {
        end_.exit_code = WEXITSTATUS(status);
      }
    }
  }

  /// The program was stopped (^Z): stop too, so that the shell shows its prompt; later continue
  /// both.
  void suspend_with_program() const {
    if (!request_.own_group || is_continued_soon()) return;
    terminal_.take_back();
    ::raise(SIGSTOP);
    terminal_.lend(child_);
    ::kill(-child_, SIGCONT);
  }

  /// Who stops all processes of a job and continues them one by one may reach this one before the
  /// program: then it goes on by itself.
  [[nodiscard]] bool is_continued_soon() const {
    constexpr std::chrono::milliseconds kSoon{200};
    std::this_thread::sleep_for(kSoon);
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child_), &info, WCONTINUED | WNOHANG) == 0 &&
           info.si_pid == child_;
  }

  void enforce_limit() {
    if (!deadline_ || Clock::now() < *deadline_) return;
    end_all(outcome_ ? SIGKILL : SIGTERM);
    deadline_ = Clock::now() + (outcome_ ? std::chrono::milliseconds(200) : kGrace);
    if (!outcome_ && !end_.ended_by_watch) end_.timed_out = true;
    outcome_ = true;
  }

  void watch() {
    if (!request_.watch || outcome_ || Clock::now() < next_look_) return;
    next_look_ = Clock::now() + request_.watch_every;
    if (!request_.watch()) return;
    end_.ended_by_watch = true;
    deadline_ = Clock::now();
  }

  void look_for_hang() {
    constexpr std::chrono::seconds kEvery{1};
    if (!stuck_ || outcome_ || Clock::now() < next_look_for_hang_) return;
    next_look_for_hang_ = Clock::now() + kEvery;
    code_of_processes_ = stuck_->look();
    if (!code_of_processes_) return;
    end_.problems.push_back(
        request_.argv.front() +
        " did not end after all of its processes had ended, so Plait ended it. plait doctor lists "
        "known faults of this kind");
    outcome_ = true;
    end_all(SIGKILL);
  }

  /// Includes processes that left the group: launchers start each rank in another group.
  void end_all(int number) const {
    if (request_.own_group) {
      ::kill(-child_, number);
      for (const pid_t pid : descendants(::getpid())) ::kill(pid, number);
    } else {
      for (const pid_t pid : descendants(child_)) ::kill(pid, number);
      ::kill(child_, number);
    }
  }

  const ProcessRequest& request_;
  Signals signals_;
  OutputCopy out_;
  OutputCopy err_;
  TerminalLoan terminal_;
  pid_t child_ = -1;
  pid_t witness_ = -1;
  bool ended_ = false;
  Clock::time_point ended_at_;
  Clock::time_point interrupted_at_;
  std::optional<Clock::time_point> deadline_;
  Clock::time_point next_look_;
  std::optional<StuckLauncher> stuck_;
  Clock::time_point next_look_for_hang_;
  std::optional<int> code_of_processes_;  ///< of a launcher that hung
  bool outcome_ = false;                  ///< the program was signalled to end
  ProcessEnd end_;
};

}  // namespace

ProcessEnd supervise(const ProcessRequest& request) {
  return Supervisor(request).run();
}

}  // namespace plait::run
