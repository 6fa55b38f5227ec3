// SPDX-License-Identifier: BSD-3-Clause
// The processes below one, as /proc shows them.
#include "base/process_tree.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace plait {

std::optional<ProcessStat> process_stat(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  // The name stands in brackets and may itself hold brackets and blanks (proc(5)).
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == line.npos || close == line.npos) return std::nullopt;
  ProcessStat result;
  result.name = line.substr(open + 1, close - open - 1);
  std::istringstream rest(line.substr(close + 1));
  std::string skipped;
  rest >> result.state >> result.parent;
  constexpr int kFieldsToStartTime = 22 - 5;  // fields 5 to 21 of proc(5), before "starttime"
  for (int field = 0; field < kFieldsToStartTime; ++field) rest >> skipped;
  rest >> result.start_ticks;
  constexpr int kFieldsToExitCode = 52 - 23;  // fields 23 to 51, before "exit_code"
  for (int field = 0; field < kFieldsToExitCode; ++field) rest >> skipped;
  rest >> result.wait_status;
  return result;
}

std::vector<pid_t> children(pid_t process) {
  std::vector<pid_t> found;
  std::error_code problem;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  std::filesystem::directory_iterator task(tasks, problem);
  // The process may end while its threads are read.
  for (const std::filesystem::directory_iterator end; !problem && task != end;
       task.increment(problem)) {
    std::ifstream in(task->path() / "children");
    for (pid_t child = 0; in >> child;) found.push_back(child);
  }
  return found;
}

std::vector<pid_t> descendants(pid_t root) {
  // In a container /proc may show the processes of another one, whose pids mean nothing here.
  std::error_code problem;
  if (std::filesystem::read_symlink("/proc/self", problem) != std::to_string(::getpid())) return {};
  std::multimap<pid_t, pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    const pid_t pid = std::atoi(name.c_str());
    if (const auto stat = process_stat(pid)) children.emplace(stat->parent, pid);
  }
  std::vector<pid_t> found{root};
  for (std::size_t next = 0; next < found.size(); ++next) {
    const auto [first, last] = children.equal_range(found[next]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

}  // namespace plait
