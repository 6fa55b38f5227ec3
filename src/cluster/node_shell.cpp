// SPDX-License-Identifier: BSD-3-Clause
// The program by which everything of a cluster but the command plait itself is started.
//
// plait-node-shell [ssh's options] NODE COMMAND...       a launcher's remote shell, within a job
// plait-node-shell --job FOLDER NODE -- COMMAND...       a job on a node, from anywhere
// plait-node-shell --head FOLDER LOCK REPORT GO_AHEAD    the head process, with its descriptors
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

/// Index of the host behind ssh's options (ssh(1)); these take a value.
std::size_t host_index(const std::vector<std::string>& words) {
  constexpr std::string_view kWithValue = "BbcDEeFIiJLlmOoPpQRSWw";
  std::size_t at = 0;
  while (at < words.size() && words[at].size() > 1 && words[at][0] == '-') {
    const bool value = words[at].size() == 2 && kWithValue.find(words[at][1]) != kWithValue.npos;
    at += value ? 2 : 1;
  }
  return at;
}

int remote_shell(const std::vector<std::string>& words) {
  const char* const folder = std::getenv("PLAIT_CLUSTER");
  if (folder == nullptr) {
    throw Error("plait-node-shell", "this process is in no cluster",
                "start the launcher by plait cluster run");
  }
  const std::size_t host = host_index(words);
  if (host + 1 >= words.size()) {
    throw Error("plait-node-shell", "there is no node and command", "NODE COMMAND...");
  }
  const std::string node = words[host].substr(words[host].find('@') + 1);
  std::string command;  // one string for the node's shell, as ssh makes of it
  for (std::size_t i = host + 1; i < words.size(); ++i) {
    command += (command.empty() ? "" : " ") + words[i];
  }
  return plait::cluster::run_shell(folder, node, command);
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 5 && words[0] == "--head") {
    plait::cluster::run_head(words[1],
                             {std::stoi(words[2]), std::stoi(words[3]), std::stoi(words[4])});
  }
  if (words.size() >= 5 && words[0] == "--job" && words[3] == "--") {
    return plait::cluster::run_job(words[1], words[2], {words.begin() + 4, words.end()});
  }
  return remote_shell(words);
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
