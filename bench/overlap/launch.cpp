// SPDX-License-Identifier: BSD-3-Clause
// Builds the command of a job and parses its output.
#include "launch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <sstream>

namespace plait::bench {

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

Measured read_output(const std::string& output) {
  Measured measured;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string what, name;
    fields >> what;
    if (what == "explain") {
      measured.explained.assign(std::istreambuf_iterator<char>(lines), {});
    } else if (what == "settled") {
      fields >> measured.settled;
    } else if (what == "sample") {
      fields >> name;
      for (double s = 0; fields >> s;) measured.samples[name].push_back(s);
    } else if (what == "mean") {
      Mean mean;
      fields >> name >> mean.s >> mean.cpu_s;
      measured.means.emplace(name, mean);
    } else if (what == "predicted") {
      Prediction prediction;
      fields >> name >> prediction.s >> prediction.low_s >> prediction.high_s;
      // Of two kinds of comm_thread, the plain name of the schedule means the first.
      measured.predicted.emplace(name, prediction);
    } else if (what == "refused") {
      fields >> name;
      std::getline(fields, measured.refused[name]);
    }
  }
  return measured;
}

}  // namespace

Measured run_on_nodes(const Nodes& nodes, const Library& library, const Job& job) {
  Variables variables;
  if (!library.library_path.empty())
    variables.emplace_back("LD_LIBRARY_PATH", library.library_path);
  std::vector<std::string> command{library.launcher, "-n", "2", "env"};
  for (const auto& list : {variables, job.environment}) {
    for (const auto& [name, value] : list) command.push_back(name + "=" + value);
  }
  command.insert(command.end(),
                 {library.program, job.asleep ? "asleep" : "real", std::to_string(job.cells),
                  std::to_string(job.threads), fmt::format("{}", job.budget_s),
                  std::to_string(job.rounds), job.single_steps ? "steps" : "turns"});
  command.insert(command.end(), job.contenders.begin(), job.contenders.end());
  const auto limit = std::chrono::milliseconds(static_cast<long>(30e3 + 5e3 * job.budget_s));
  return read_output(nodes.run(library.name, command, limit, variables));
}

}  // namespace plait::bench
