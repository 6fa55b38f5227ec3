// SPDX-License-Identifier: BSD-3-Clause
// The launchers' words for "two ranks on two nodes over TCP, started by this remote shell".
#include "launch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <sstream>

#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace plait::bench {

namespace {

using Words = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;

/// What both series of Open MPI call differently.
struct OpenMpiNames {
  const char* set;    ///< the option that sets a launcher's parameter
  const char* agent;  ///< the parameters: the remote shell, and the launcher's network
  const char* network;
  const char* shared_memory;  ///< the transport within a node
};

Words openmpi_words(const Library& library, const std::string& shell, const OpenMpiNames& names) {
  Words words{library.launcher, names.set,   names.agent, shell,  names.set, names.network, "eth0",
              "--host",         "n0:1,n1:1", "--bind-to", "none", "--mca",   "pml",         "ob1",
              "--mca",          "btl"};
  words.push_back(fmt::format("tcp,{},self", names.shared_memory));
  words.insert(words.end(), {"--mca", "btl_tcp_if_include", "eth0", "-n", "2"});
  return words;
}

/// The launcher's command up to the program. Ranks are not bound by it: the node has one core.
Words launcher_words(const Library& library, const std::string& shell) {
  switch (library.family) {
    case Family::openmpi4:
      return openmpi_words(library, shell,
                           {"--mca", "plm_rsh_agent", "oob_tcp_if_include", "vader"});
    case Family::openmpi5:
      return openmpi_words(library, shell, {"--prtemca", "plm_ssh_agent", "prte_if_include", "sm"});
    case Family::mpich:
      return {library.launcher,
              "-launcher",
              "ssh",
              "-launcher-exec",
              shell,
              "-hosts",
              "n0:1,n1:1",
              "-iface",
              "eth0",
              "-n",
              "2"};
    case Family::intel:
      return {library.launcher,
              "-bootstrap",
              "ssh",
              "-bootstrap-exec",
              shell,
              "-hosts",
              "n0,n1",
              "-ppn",
              "1",
              "-n",
              "2"};
  }
  return {};
}

Variables launch_environment(const Library& library) {
  Variables variables;
  if (!library.library_path.empty())
    variables.emplace_back("LD_LIBRARY_PATH", library.library_path);
  if (library.family == Family::openmpi4 || library.family == Family::openmpi5) {
    for (const char* prefix : {"OMPI", "PRTE"}) {
      variables.emplace_back(fmt::format("{}_ALLOW_RUN_AS_ROOT", prefix), "1");
      variables.emplace_back(fmt::format("{}_ALLOW_RUN_AS_ROOT_CONFIRM", prefix), "1");
    }
  } else {
    variables.emplace_back("FI_PROVIDER", "tcp");
  }
  if (library.family == Family::intel) {
    const auto root = library.launcher.substr(0, library.launcher.rfind("/bin/"));
    variables.insert(variables.end(), {{"I_MPI_ROOT", root},
                                       {"FI_PROVIDER_PATH", root + "/lib"},
                                       {"I_MPI_FABRICS", "shm:ofi"},
                                       {"I_MPI_PIN", "0"}});
  }
  return variables;
}

Measured read_output(const std::string& output) {
  Measured measured;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, name;
    words >> what;
    if (what == "explain") {
      measured.explained.assign(std::istreambuf_iterator<char>(lines), {});
    } else if (what == "settled") {
      words >> measured.settled;
    } else if (what == "sample") {
      words >> name;
      for (double s = 0; words >> s;) measured.samples[name].push_back(s);
    } else if (what == "predicted") {
      Prediction prediction;
      words >> name >> prediction.s >> prediction.low_s >> prediction.high_s;
      // Of two kinds of comm_thread the first is what the schedule's plain name means.
      measured.predicted.emplace(name, prediction);
    } else if (what == "refused") {
      words >> name;
      std::getline(words, measured.refused[name]);
    }
  }
  return measured;
}

}  // namespace

Measured run_on_nodes(const Library& library, const std::string& node_shell, const Job& job) {
  Words command = launcher_words(library, node_shell);
  const Variables variables = launch_environment(library);
  command.push_back("env");
  for (const auto& list : {variables, job.environment}) {
    for (const auto& [name, value] : list) command.push_back(name + "=" + value);
  }
  command.insert(command.end(),
                 {library.program, job.asleep ? "asleep" : "real", std::to_string(job.cells),
                  std::to_string(job.threads), fmt::format("{}", job.budget_s),
                  std::to_string(job.rounds), job.single_steps ? "steps" : "turns"});
  command.insert(command.end(), job.contenders.begin(), job.contenders.end());

  const auto limit = std::chrono::milliseconds(static_cast<long>(30e3 + 5e3 * job.budget_s));
  const CommandResult result = run_command(command, limit, {}, variables);
  if (result.timed_out || result.exit_code != 0) {
    const auto words = result.err.empty() ? result.out : result.err;
    throw Error(library.name,
                result.timed_out ? fmt::format("gave no result within {} s", limit.count() / 1000)
                                 : fmt::format("ended with exit code {}", result.exit_code),
                words.substr(words.size() > 600 ? words.size() - 600 : 0));
  }
  return read_output(result.out);
}

}  // namespace plait::bench
