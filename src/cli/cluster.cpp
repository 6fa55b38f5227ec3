// SPDX-License-Identifier: BSD-3-Clause
// plait cluster: several nodes on one machine, and programs on them.
#include "cluster/cluster.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/quantity.hpp"
#include "cli/commands.hpp"
#include "cli/program_command.hpp"
#include "cluster/show.hpp"
#include "cluster/state.hpp"
#include "launch/run.hpp"
#include "launch/supervise.hpp"
#include "plait/error.hpp"

namespace plait::cli {
namespace {

struct ClusterOptions {
  std::string name = "default";
  int nodes = 0;
  std::string rate = "1gbit";
  std::string latency;
  int cores_per_node = 0;
  double time_limit_s = 0;
  bool json = false;
  bool all = false;
  std::string node;
  std::string unused;
};

cluster::ClusterRequest request_of(const ClusterOptions& options) {
  cluster::ClusterRequest request;
  request.name = options.name;
  request.nodes = options.nodes;
  request.bytes_per_second = parse_bytes_per_second(options.rate);
  if (!options.latency.empty()) request.latency_s = parse_seconds(options.latency);
  request.cores_per_node = options.cores_per_node;
  return request;
}

cluster::Cluster cluster_named(const std::string& name) {
  if (auto found = cluster::find(name)) return *found;
  throw Error("cluster " + name, "is not up",
              name == "default" ? "start it: plait cluster up --nodes 4 --rate 1gbit"
                                : fmt::format("start it: plait cluster up --name {}", name));
}

void up(const ClusterOptions& options) {
  const cluster::Cluster started = cluster::up(request_of(options));
  fmt::print("{}", cluster::show(started));
  const std::string name = options.name == "default" ? "" : " --name " + options.name;
  fmt::print("\nNext: plait cluster run{} -- mpiexec -n {} ./app\n", name, options.nodes);
}

void status(const ClusterOptions& options) {
  const std::vector<cluster::Cluster> clusters =
      options.name.empty() ? cluster::find_all()
                           : std::vector<cluster::Cluster>{cluster_named(options.name)};
  if (options.json) {
    fmt::print("{}\n", cluster::to_document(clusters).dump(1));
    return;
  }
  if (clusters.empty()) fmt::print("No cluster is up.\n\nNext: plait cluster up --nodes 4\n");
  const char* between = "";
  for (const cluster::Cluster& found : clusters) {
    fmt::print("{}{}", between, cluster::show(found));
    between = "\n";
  }
}

void down(const ClusterOptions& options) {
  const auto named = [&] {
    if (auto found = cluster::find(options.name)) return *found;
    throw Error("cluster " + options.name, "is not up",
                "plait cluster status lists those that are");
  };
  const std::vector<cluster::Cluster> clusters =
      options.all ? cluster::find_all() : std::vector<cluster::Cluster>{named()};
  for (const cluster::Cluster& found : clusters) {
    cluster::down(found);
    fmt::print("Cluster {} has ended.\n", found.request.name);
  }
}

int run_on(const cluster::Cluster& where, const std::string& node,
           const cluster::ClusterCommand& command, double time_limit_s) {
  launch::ProcessRequest request;
  request.argv = cluster::on_node(where, node, command.argv);
  request.environment = command.variables();
  if (time_limit_s > 0) request.time_limit_s = time_limit_s;
  const launch::ProcessEnd end = launch::supervise(request);
  for (const std::string& problem : end.problems) {
    fmt::print(stderr, "plait: warning: {}\n", problem);
  }
  if (!end.timed_out) return end.exit_code;
  fmt::print(stderr, "plait: {} s were over: the job was ended on all nodes\n", time_limit_s);
  return launch::kTimeLimitExit;
}

std::vector<std::string> words_of(const CLI::App* command) {
  std::vector<std::string> words = program_command(command);
  if (words.empty()) {
    throw Error("plait cluster " + command->get_name(), "there is no command",
                "plait cluster run -- mpiexec -n 4 ./app");
  }
  return words;
}

int run(const CLI::App* command, ClusterOptions& options) {
  const std::vector<std::string> words = words_of(command);
  if (options.nodes == 0 && command->count("--nodes") == 0) {
    for (const char* shape : {"--rate", "--latency", "--cores-per-node"}) {
      if (command->count(shape) == 0) continue;
      throw Error(
          shape, "is not changed for a cluster that is up",
          "add --nodes, for a cluster of this command's own, or give it to plait cluster up");
    }
    const cluster::Cluster found = cluster_named(options.name);
    return run_on(found, cluster::kHead, cluster::on_cluster(found, words), options.time_limit_s);
  }
  cluster::ClusterRequest request = request_of(options);
  if (command->count("--name") == 0) request.name = fmt::format("run-{}", ::getpid());
  const cluster::OwnCluster own(request);
  return run_on(own.get(), cluster::kHead, cluster::on_cluster(own.get(), words),
                options.time_limit_s);
}

void takes_name(CLI::App* command, ClusterOptions& options, const char* help) {
  command->add_option("--name", options.name, help);
}

void takes_shape(CLI::App* command, ClusterOptions& options) {
  command->add_option("--nodes", options.nodes, "How many nodes: n0, n1, ...");
  command->add_option("--rate", options.rate, "Of each node's link, each way [1gbit]");
  command->add_option("--latency", options.latency, "Added to each packet on its way, as 25us");
  command->add_option("--cores-per-node", options.cores_per_node,
                      "Cores of each node [what there is, shared out]");
}

std::shared_ptr<ClusterOptions> new_options() {
  return std::make_shared<ClusterOptions>();
}

void add_up_and_down(CLI::App* parent, int& exit_code) {
  const auto to_up = new_options();
  to_up->nodes = 2;
  CLI::App* command = parent->add_subcommand("up", "Start a cluster");
  takes_shape(command, *to_up);
  takes_name(command, *to_up, "Its name [default]");
  command->callback([to_up, &exit_code] {
    up(*to_up);
    exit_code = 0;
  });

  const auto to_down = new_options();
  command = parent->add_subcommand("down", "End a cluster, and all that runs on it");
  takes_name(command, *to_down, "Which one [default]");
  command->add_flag("--all", to_down->all, "All of yours");
  command->callback([to_down, &exit_code] {
    down(*to_down);
    exit_code = 0;
  });
}

void add_status_and_rate(CLI::App* parent, int& exit_code) {
  const auto to_status = new_options();
  to_status->name.clear();
  CLI::App* command = parent->add_subcommand("status", "List the clusters that are up");
  takes_name(command, *to_status, "This one only");
  command->add_flag("--json", to_status->json, "Print them as JSON");
  command->callback([to_status, &exit_code] {
    status(*to_status);
    exit_code = 0;
  });

  const auto to_rate = new_options();
  command = parent->add_subcommand("rate", "Set the rate of all links of a cluster");
  takes_name(command, *to_rate, "Which one [default]");
  command->add_option("RATE", to_rate->rate, "As 100mbit, 1gbit, 90MB/s")->required();
  command->callback([to_rate, &exit_code] {
    cluster::set_rate(cluster_named(to_rate->name), parse_bytes_per_second(to_rate->rate));
    exit_code = 0;
  });
}

void add_run_and_exec(CLI::App* parent, int& exit_code) {
  const auto to_run = new_options();
  CLI::App* command = parent->add_subcommand(
      "run", "Run a launcher, or a script that starts some, with the cluster's nodes");
  command->footer(
      "plait cluster run [options] -- mpiexec -n 4 ./app ...\n"
      "With --nodes the cluster is for this command only, and ends with it.");
  takes_name(command, *to_run, "Which one [default]");
  takes_shape(command, *to_run);
  command->add_option("--time-limit", to_run->time_limit_s, "End the job after so many seconds")
      ->check(CLI::PositiveNumber);
  takes_program_command(command, to_run->unused);
  command->callback([command, to_run, &exit_code] { exit_code = run(command, *to_run); });

  const auto to_exec = new_options();
  CLI::App* exec = parent->add_subcommand("exec", "Run a command on a node, on its cores");
  exec->footer("plait cluster exec [options] NODE -- COMMAND ...\nNodes: n0, n1, ..., head");
  takes_name(exec, *to_exec, "Which cluster [default]");
  exec->add_option("--time-limit", to_exec->time_limit_s, "End it after so many seconds")
      ->check(CLI::PositiveNumber);
  takes_program_command(exec, to_exec->unused);
  exec->callback([exec, to_exec, &exit_code] {
    std::vector<std::string> words = words_of(exec);
    const std::string node = words.front();
    words.erase(words.begin());
    if (!words.empty() && words.front() == "--") words.erase(words.begin());
    if (words.empty()) {
      throw Error("plait cluster exec", "there is no command", "NODE -- COMMAND ...");
    }
    const cluster::Cluster found = cluster_named(to_exec->name);
    exit_code = run_on(found, node, {words, {}}, to_exec->time_limit_s);
  });
}

}  // namespace

void add_cluster(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("cluster", "Several nodes on this machine, joined by a network");
  command->require_subcommand(1);
  add_up_and_down(command, exit_code);
  add_run_and_exec(command, exit_code);
  add_status_and_rate(command, exit_code);
}

}  // namespace plait::cli
