// SPDX-License-Identifier: BSD-3-Clause
// Counts the other processes that are running.
#include "measure/load.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace plait::measure {

int runnable_in(const std::string& loadavg) {
  std::istringstream fields(loadavg);
  std::string load;
  int runnable = 0;
  char slash = 0;
  int total = 0;
  const bool good = fields >> load >> load >> load >> runnable >> slash >> total && slash == '/';
  return good ? runnable : 0;
}

int processes_running_beside() {
  int least = 1'000'000;
  for (int look = 0; look < 5; ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds(12));
    std::ifstream file("/proc/loadavg");
    std::string line;
    std::getline(file, line);
    least = std::min(least, runnable_in(line) - 1);  // the caller itself runs
  }
  return std::max(0, least);
}

}  // namespace plait::measure
