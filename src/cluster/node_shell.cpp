// SPDX-License-Identifier: BSD-3-Clause
// The helper program that starts all processes of a cluster.
//
// plait-node-shell [ssh's options] NODE COMMAND...       remote shell of a launcher, within a job
// plait-node-shell --job FOLDER NODE -- COMMAND...       job on a node, from anywhere
// plait-node-shell --head FOLDER LOCK REPORT GO_AHEAD    head process, with its descriptors
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/head.hpp"
#include "cluster/job.hpp"
#include "plait/error.hpp"

namespace {

using plait::Error;

/// Index of the host after the options of ssh (ssh(1)).
std::size_t host_index(const std::vector<std::string>& arguments) {
  constexpr std::string_view kWithValue = "BbcDEeFIiJLlmOoPpQRSWw";
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at].size() > 1 && arguments[at][0] == '-') {
    const bool value =
        arguments[at].size() == 2 && kWithValue.find(arguments[at][1]) != kWithValue.npos;
    at += value ? 2 : 1;
  }
  return at;
}

int remote_shell(const std::vector<std::string>& arguments) {
  const char* const folder = std::getenv("PLAIT_CLUSTER");
  if (folder == nullptr) {
    throw Error("plait-node-shell", "this process is not in a cluster",
                "start the launcher with plait cluster run");
  }
  const std::size_t host = host_index(arguments);
  if (host + 1 >= arguments.size()) {
    throw Error("plait-node-shell", "node or command missing", "usage: NODE COMMAND...");
  }
  const std::string node = arguments[host].substr(arguments[host].find('@') + 1);
  std::string command;  // one string for the node's shell, like ssh
  for (std::size_t i = host + 1; i < arguments.size(); ++i) {
    command += (command.empty() ? "" : " ") + arguments[i];
  }
  return plait::cluster::run_shell(folder, node, command);
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 5 && arguments[0] == "--head") {
    plait::cluster::run_head(
        arguments[1], {std::stoi(arguments[2]), std::stoi(arguments[3]), std::stoi(arguments[4])});
  }
  if (arguments.size() >= 5 && arguments[0] == "--job" && arguments[3] == "--") {
    return plait::cluster::run_job(arguments[1], arguments[2],
                                   {arguments.begin() + 4, arguments.end()});
  }
  return remote_shell(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    return 255;
  }
}
